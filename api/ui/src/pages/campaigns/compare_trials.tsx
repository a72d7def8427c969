// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Two to four trials side by side: parameters, results, congestion control tables and throughput. */

import "@/pages/campaigns/campaigns.css";
import { Button } from "@mantine/core";
import { useCallback, useState } from "react";
import { Link, useParams, useSearchParams } from "react-router";
import { useCampaignName, useTrialDetails } from "@/api/queries/campaigns";
import { useProfileCurves } from "@/api/queries/profiles";
import type { TrialDetail } from "@/api/types";
import { cctCurve } from "@/charts/cct_curve";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { throughputChart } from "@/charts/throughput";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { Loading } from "@/components/query_view";
import { count, number, titleOf, unitOf } from "@/format/quantity";
import { chosenTrials, differing, type Row, rowsOf, totals } from "@/pages/campaigns/compared_rows";

export default function CompareTrials() {
  const { id = "" } = useParams();
  const numbers = chosenTrials(useSearchParams()[0].get("trials"));
  const name = useCampaignName(id);
  const answers = useTrialDetails(id, numbers);
  const trials = answers.flatMap(({ data }) => (data ? [data] : []));
  const error = answers.find((one) => one.error)?.error;
  return (
    <div className="stack">
      <PageHead
        title="Compare trials"
        crumbs={[
          { to: "/campaigns", text: "Campaigns" },
          { to: `/campaigns/${id}?tab=trials`, text: name },
        ]}
      />
      <ErrorNotice error={error} />
      {numbers.length < 2 && <Notice kind="info">Choose two to four trials in the table of trials to compare them.</Notice>}
      {trials.length < numbers.length && !error && <Loading rows={10} />}
      {trials.length === numbers.length && trials.length >= 2 && (
        <>
          <Compared id={id} trials={trials} />
          <div className="halves">
            <Curves trials={trials} />
            <Throughput trials={trials} />
          </div>
        </>
      )}
    </div>
  );
}

function Compared({ id, trials }: { id: string; trials: TrialDetail[] }) {
  const [all, setAll] = useState(false);
  const parameters = rowsOf(trials, (trial) => trial.params);
  const shown = all ? parameters : differing(parameters);
  const same = parameters.length - differing(parameters).length;
  return (
    <section className="panel stack" aria-labelledby="compared">
      <h2 id="compared">Parameters and results</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
      <section className="table-box" tabIndex={0} aria-label="Parameters and results">
        <table className="data">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {trials.map((trial) => (
                <th key={trial.number} scope="col" className="n">
                  <Link to={`/campaigns/${id}/trials/${trial.number}`}>Trial {trial.number}</Link>
                  <div className="small soft">{trial.feasible ? trial.origin : "breaks a constraint"}</div>
                </th>
              ))}
            </tr>
          </thead>
          <Rows title="Parameters" rows={shown} />
          <Rows title="Results" rows={rowsOf(trials, (trial) => trial.metrics ?? trial.values)} titled />
        </table>
      </section>
      {same > 0 && (
        <Button variant="subtle" size="compact-sm" w="fit-content" onClick={() => setAll(!all)}>
          {all ? "Only what differs" : `Show ${count(same, "equal parameter")} too`}
        </Button>
      )}
    </section>
  );
}

function Rows({ title, rows, titled }: { title: string; rows: Row[]; titled?: boolean }) {
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={5}>
          {title}
        </th>
      </tr>
      {rows.map(({ name, values }) => (
        <tr key={name}>
          <th scope="row">
            {titled ? titleOf(name) : name} {unitOf(name) && <span className="unit">[{unitOf(name)}]</span>}
          </th>
          {values.map((value, i) => (
            <td key={i} className="n">
              {typeof value === "number" ? number(value) : value === null ? "–" : String(value)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function Curves({ trials }: { trials: TrialDetail[] }) {
  const curves = useProfileCurves(trials.map(({ number: n, profile_yaml }) => ({ name: `Trial ${n}`, document: profile_yaml })));
  const option = useCallback((ink: Ink) => cctCurve(curves.data ?? [], ink), [curves.data]);
  return (
    <section className="panel stack" aria-labelledby="curves">
      <h2 id="curves">Delay by CCTI</h2>
      <ErrorNotice error={curves.error} />
      <Chart
        label={`Congestion control tables of ${trials.length} trials`}
        caption="Delay after each packet, by the index into the congestion control table."
        option={option}
        table={() => ({
          columns: ["trial", "ccti", "ird_packet_times"],
          rows: (curves.data ?? []).flatMap(({ name, points }) => points.map((p) => [name, p.ccti, p.ird_packet_times])),
        })}
        file="curves"
      />
    </section>
  );
}

function Throughput({ trials }: { trials: TrialDetail[] }) {
  const series = trials.flatMap(totals);
  const option = useCallback((ink: Ink) => throughputChart(trials.flatMap(totals), ink), [trials]);
  return (
    <section className="panel stack" aria-labelledby="throughput">
      <h2 id="throughput">Throughput by role</h2>
      {series.length === 0 ? (
        <div className="empty">The throughput of these trials was not stored.</div>
      ) : (
        <Chart
          label={`Throughput of victims and contributors in ${trials.length} trials`}
          caption="Mean of each role's flows in the first workload, with the first seed."
          option={option}
          table={() => ({
            columns: ["series", "t_s", "gbps"],
            rows: series.flatMap(({ name, series: samples }) => samples.map(({ t_s, gbps }) => [name, t_s, gbps])),
          })}
          file="throughput"
        />
      )}
    </section>
  );
}
