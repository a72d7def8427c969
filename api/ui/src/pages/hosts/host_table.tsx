// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The hosts of an inventory with the result of the last check; the service searches them. */

import { Select, TextInput } from "@mantine/core";
import { useHosts } from "@/api/queries/hosts";
import type { Host } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { milliseconds, offsetText, uncertaintyText, VERDICTS, verdictText, verdictTone } from "@/pages/hosts/verdict";

export function HostTable({ fabric }: { fabric: string }) {
  const address = useAddress();
  const q = useTyped(address, "q");
  const verdict = address.get("verdict");
  const hosts = useHosts(fabric, { q: q.settled, verdict });
  return (
    <div className="stack">
      <div className="row bottom">
        <TextInput
          className="grow"
          label="Name or address"
          value={q.value}
          onChange={(event) => q.type(event.currentTarget.value)}
        />
        <Select
          label="Verdict"
          data={[{ value: "", label: "All" }, ...VERDICTS.map(({ value, label }) => ({ value, label }))]}
          value={verdict}
          onChange={(value) => address.set({ verdict: value }, { replace: true })}
        />
      </div>
      <QueryView query={{ ...hosts, data: hosts.items }} rows={8}>
        {(rows) => (
          <>
            <DataTable
              caption={`Hosts of ${fabric}`}
              columns={COLUMNS}
              rows={rows}
              rowKey={(row) => row.node}
              file={`${fabric}-hosts`}
              empty="No host matches."
            />
            {hosts.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => hosts.fetchNextPage()}>
                Load more hosts
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

const COLUMNS: Column<Host>[] = [
  { key: "node", title: "Node", head: true, value: (row) => row.node },
  { key: "host", title: "On the fabric", value: (row) => row.host },
  {
    key: "verdict",
    title: "Verdict",
    value: (row) => verdictText(row.verdict),
    show: (row) => <Tag state={verdictText(row.verdict)} tone={verdictTone(row.verdict)} />,
  },
  { key: "device", title: "Device/port", value: (row) => `${row.device}/${row.ib_port}` },
  { key: "state", title: "State", value: (row) => row.state },
  {
    key: "rate",
    title: "Rate",
    value: (row) => row.rate,
    show: (row) => <span className="nowrap">{row.rate ?? "–"}</span>,
  },
  { key: "perftest", title: "perftest", value: (row) => row.perftest.join(", ") || null },
  { key: "meter", title: "Meter", value: (row) => (row.meter === null ? null : row.meter ? "works" : "fails") },
  {
    key: "clock_offset_ms",
    title: "Clock offset",
    unit: "ms",
    numeric: true,
    value: (row) => milliseconds(row.clock_offset_ns),
    show: (row) => <span className="nowrap">{offsetText(row.clock_offset_ns)}</span>,
  },
  {
    key: "clock_uncertainty_ms",
    title: "Uncertainty",
    unit: "ms",
    numeric: true,
    value: (row) => milliseconds(row.clock_uncertainty_ns),
    show: (row) => <span className="nowrap">{uncertaintyText(row.clock_uncertainty_ns)}</span>,
  },
  { key: "limits", title: "Limits", value: (row) => row.limits },
  { key: "address", title: "Address", value: (row) => row.address },
];
