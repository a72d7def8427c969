// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The fleet from inside: which hosts differ from others of their model, and the matrix of the one that is looked at. */

import { Button, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { useFleet, useForgetBaselines, useHostPathsRows, usePingHosts, useWatchHosts } from "@/api/queries/hosts";
import { useMay } from "@/api/queries/session";
import type { Fleet, HostPathsRow } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { Confirm } from "@/components/confirm";
import { type Column, DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { count } from "@/format/quantity";
import { HostMatrix } from "@/pages/hosts/host_matrix";
import { fleetText, PATH_VERDICTS, pathVerdictText, pathVerdictTone } from "@/pages/hosts/paths";

export function PathsPanel({ fabric }: { fabric: string }) {
  const fleet = useFleet(fabric);
  return (
    <QueryView query={fleet} rows={8}>
      {(known) =>
        known.inventory === null ? (
          <div className="empty">{fabric} has no inventory yet, so nothing is known of its hosts.</div>
        ) : (
          <Known fabric={fabric} fleet={known} />
        )
      }
    </QueryView>
  );
}

function Known({ fabric, fleet }: { fabric: string; fleet: Fleet }) {
  const operator = useMay("operator");
  const address = useAddress();
  const node = address.get("node");
  const odd = fleet.models.filter(({ slow }) => slow.length > 0);
  return (
    <div className="stack">
      <section className="panel stack" aria-label="The fleet">
        <Facts
          facts={[
            ["Hosts", fleetText(fleet.hosts)],
            ["Last tests", fleet.measured_at ? <At key="at" at={fleet.measured_at} /> : "never"],
            ["Last watch of the ports", fleet.watched_at ? <At key="watched" at={fleet.watched_at} /> : "never"],
          ]}
        />
        {operator && <Actions fabric={fabric} fleet={fleet} />}
      </section>
      {fleet.triggered.length > 0 && (
        <Notice kind="warn" title="Counters ask for tests">
          <p>{fleet.triggered.join(", ")}: a port waits for them, or they drop or pause. Test them although they are busy.</p>
        </Notice>
      )}
      {odd.map(({ model, hosts, slow, baseline }) => (
        <Notice key={model} kind="bad" title={`${slow.join(", ")}: not as others of the model`}>
          <p>
            {model}. {count(hosts, "host")} tested
            {baseline ? `; normal is the median of ${baseline.hosts}, ${baseline.date}.` : "."}
          </p>
        </Notice>
      ))}
      {fleet.measured_at && odd.length === 0 && <Notice kind="good">No tested host differs from others of its model.</Notice>}
      {node && <HostMatrix key={node} fabric={fabric} node={node} onClose={() => address.set({ node: null })} />}
      <PathTable fabric={fabric} onShow={(shown) => address.set({ node: shown })} />
    </div>
  );
}

function Actions({ fabric, fleet }: { fabric: string; fleet: Fleet }) {
  const ping = usePingHosts(fabric);
  const watch = useWatchHosts(fabric);
  const forget = useForgetBaselines(fabric);
  const [latest, setLatest] = useState<string | null>(null);
  const [asking, setAsking] = useState(false);
  const job = fleet.running_job ?? latest;
  const busy = fleet.running_job !== null;
  const begin = { onSuccess: ({ id }: { id: string }) => setLatest(id) };
  const triggered = fleet.triggered.join(",");
  return (
    <div className="stack tight">
      <div className="row">
        <Button disabled={busy} loading={ping.isPending} onClick={() => ping.mutate({ triggered: false }, begin)}>
          Test idle hosts
        </Button>
        {triggered && (
          <Button
            variant="default"
            disabled={busy}
            loading={ping.isPending}
            onClick={() => ping.mutate({ nodes: triggered, triggered: true }, begin)}
          >
            Test those whose counters ask
          </Button>
        )}
        {fleet.can_watch && (
          <Button
            variant="default"
            disabled={busy}
            loading={watch.isPending}
            onClick={() => watch.mutate({ seconds: 10, test: false }, begin)}
          >
            Watch the ports to hosts
          </Button>
        )}
        {fleet.models.some(({ baseline }) => baseline) && (
          <Button variant="subtle" color="gray" onClick={() => setAsking(true)}>
            Forget what is normal
          </Button>
        )}
      </div>
      {job && <JobProgress key={job} id={job} what={`Tests inside hosts of ${fabric}`} onEnd={({ id }) => setLatest(id)} />}
      <ErrorNotice error={ping.error ?? watch.error} />
      <Confirm
        opened={asking}
        title="Forget what is normal?"
        action="Forget"
        danger
        busy={forget.isPending}
        error={forget.error}
        onConfirm={() => forget.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>The next tests of at least three idle hosts of a model say what is normal for it, as after a change of firmware.</p>
      </Confirm>
    </div>
  );
}

function PathTable({ fabric, onShow }: { fabric: string; onShow: (node: string) => void }) {
  const address = useAddress();
  const q = useTyped(address, "inside");
  const verdict = address.get("paths");
  const rows = useHostPathsRows(fabric, { q: q.settled, verdict });
  const columns: Column<HostPathsRow>[] = [
    {
      key: "node",
      title: "Node",
      head: true,
      value: (row) => row.node,
      show: (row) => (
        <button type="button" className="plain-link" onClick={() => onShow(row.node)}>
          {row.node}
        </button>
      ),
    },
    ...COLUMNS,
  ];
  return (
    <div className="stack">
      <div className="row bottom">
        <TextInput className="grow" label="Name" value={q.value} onChange={(event) => q.type(event.currentTarget.value)} />
        <Select
          label="Verdict"
          data={[{ value: "", label: "All" }, ...PATH_VERDICTS.map(({ value, label }) => ({ value, label }))]}
          value={verdict}
          onChange={(value) => address.set({ paths: value }, { replace: true })}
        />
      </div>
      <QueryView query={{ ...rows, data: rows.items }} rows={8}>
        {(found) => (
          <>
            <DataTable
              caption={`Inside the hosts of ${fabric}`}
              columns={columns}
              rows={found}
              rowKey={(row) => row.node}
              file={`${fabric}-paths`}
              empty="No host matches."
            />
            {rows.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => rows.fetchNextPage()}>
                Load more hosts
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

const COLUMNS: Column<HostPathsRow>[] = [
  {
    key: "verdict",
    title: "Inside",
    value: (row) => pathVerdictText(row.verdict),
    show: (row) => <Tag state={pathVerdictText(row.verdict)} tone={pathVerdictTone(row.verdict)} />,
  },
  { key: "slow_paths", title: "Slow paths", numeric: true, value: (row) => (row.paths ? row.slow_paths : null) },
  { key: "paths", title: "Paths", numeric: true, value: (row) => row.paths || null },
  { key: "flapping", title: "Flapping", value: (row) => row.flapping.join("; ") || null },
  {
    key: "sentence",
    title: "Result",
    value: (row) => row.sentence || null,
    show: (row) => <div className="path-sentence">{row.sentence || "–"}</div>,
  },
  { key: "trigger", title: "Counters", value: (row) => row.trigger },
  {
    key: "measured_at",
    title: "Tested",
    value: (row) => row.measured_at,
    show: (row) => (row.measured_at ? <At at={row.measured_at} /> : "never"),
  },
  { key: "is_current", title: "Inventory since", value: (row) => (row.is_current === false ? "changed" : null) },
];
