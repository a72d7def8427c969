// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One trial: its parameters, its result, and the throughput of each flow over time. */

import "@/pages/campaigns/campaigns.css";
import { Button, Select } from "@mantine/core";
import { useCallback, useState } from "react";
import { Link, useParams } from "react-router";
import { useCampaign, useCampaignName, useTrial } from "@/api/queries/campaigns";
import type { FlowSeries, TrialDetail } from "@/api/types";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { throughputChart } from "@/charts/throughput";
import { DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { number, quantity, titleOf, unitOf } from "@/format/quantity";
import { LowCapacity } from "@/pages/fabric/low_capacity";
import { asSentence } from "@/pages/profiles/parameter_input";

export default function TrialPage() {
  const { id = "", number: text = "" } = useParams();
  const trial = useTrial(id, Number(text));
  const campaign = useCampaign(id).data;
  const name = useCampaignName(id);
  const at = Number(text);
  return (
    <div className="stack">
      <PageHead
        title={`Trial ${text}`}
        crumbs={[
          { to: "/campaigns", text: "Campaigns" },
          { to: `/campaigns/${id}?tab=trials`, text: name },
        ]}
        beside={trial.data && <TrialState trial={trial.data} />}
      >
        {at > 0 && (
          <Button variant="default" component={Link} to={`/campaigns/${id}/trials/${at - 1}`}>
            Trial {at - 1}
          </Button>
        )}
        {campaign && at + 1 < campaign.trials_done && (
          <Button variant="default" component={Link} to={`/campaigns/${id}/trials/${at + 1}`}>
            Trial {at + 1}
          </Button>
        )}
      </PageHead>
      <LowCapacity capacity={campaign?.capacity} />
      <QueryView query={trial} rows={10}>
        {(known) => <Shown trial={known} />}
      </QueryView>
    </div>
  );
}

function TrialState({ trial }: { trial: TrialDetail }) {
  if (trial.on_front) return <Tag state="on the front" tone="good" />;
  return <Tag state={trial.state === "complete" && !trial.feasible ? "infeasible" : trial.state} />;
}

function Shown({ trial }: { trial: TrialDetail }) {
  const broken = Object.keys(trial.violations).filter((name) => (trial.violations[name] ?? 0) > 0);
  const metrics = Object.entries(trial.metrics ?? {}).filter((pair): pair is [string, number] => typeof pair[1] === "number");
  return (
    <>
      {trial.reason && <Notice kind="warn">{asSentence(trial.reason)}</Notice>}
      {broken.length > 0 && <Notice kind="warn">This trial breaks {broken.map(titleOf).join(", ")}.</Notice>}
      <div className="halves">
        <section className="panel stack" aria-labelledby="values">
          <h2 id="values">Results</h2>
          <Facts
            facts={(metrics.length > 0 ? metrics : Object.entries(trial.values)).map(([name, value]) => [
              titleOf(name),
              quantity(value, unitOf(name)),
            ])}
          />
        </section>
        <section className="panel stack" aria-labelledby="params">
          <h2 id="params">Parameters</h2>
          <Facts
            facts={Object.entries(trial.params).map(([name, value]) => [
              name,
              typeof value === "number" ? quantity(value, unitOf(name)) : String(value),
            ])}
          />
        </section>
      </div>
      <Flows trial={trial} />
    </>
  );
}

function Flows({ trial }: { trial: TrialDetail }) {
  const runs = trial.measurements;
  const [chosen, setChosen] = useState(0);
  const run = runs[chosen] ?? runs[0];
  return (
    <section className="panel stack" aria-labelledby="flows">
      <div className="row ends">
        <h2 id="flows">Throughput of each flow</h2>
        {runs.length > 1 && (
          <Select
            aria-label="Run"
            data={runs.map(({ workload, seed }, i) => ({ value: String(i), label: `${workload}, seed ${seed}` }))}
            value={String(chosen)}
            onChange={(value) => setChosen(Number(value))}
          />
        )}
      </div>
      {run ? (
        <FlowsOfRun key={chosen} trial={trial.number} flows={run.flows} seed={run.seed} />
      ) : (
        <div className="empty">The throughput of this trial was not stored.</div>
      )}
    </section>
  );
}

function FlowsOfRun({ trial, flows, seed }: { trial: number; flows: FlowSeries[]; seed: number }) {
  const option = useCallback((ink: Ink) => throughputChart(flows, ink), [flows]);
  const times = flows[0]?.series.map(({ t_s }) => t_s) ?? [];
  return (
    <>
      <Chart
        label={`Throughput of ${flows.length} flows over ${quantity(times.at(-1), "s")}`}
        caption="Payload received in each interval. Shift+wheel zooms, dragging moves."
        option={option}
        table={() => ({
          columns: ["t_s", ...flows.map(({ name }) => `${name} [Gb/s]`)],
          rows: times.map((t_s, i) => [t_s, ...flows.map(({ series }) => series[i]?.gbps)]),
        })}
        file={`trial-${trial}-seed-${seed}-throughput`}
      />
      <DataTable
        caption="Flows"
        columns={[
          { key: "name", title: "Flow", head: true, value: (row) => row.name },
          { key: "role", title: "Role", value: (row) => row.role },
          { key: "src", title: "From", value: (row) => row.src },
          { key: "dst", title: "To", value: (row) => row.dst },
          {
            key: "mean_gbps",
            title: "Mean",
            unit: "Gb/s",
            numeric: true,
            value: (row) => row.mean_gbps,
            show: (row) => number(row.mean_gbps),
          },
        ]}
        rows={flows}
        rowKey={(row) => row.name}
        file={`trial-${trial}-seed-${seed}-flows`}
      />
    </>
  );
}
