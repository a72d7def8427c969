// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The audit log. */

import { Select, TextInput } from "@mantine/core";
import { useAudit } from "@/api/queries/audit";
import { useFabrics } from "@/api/queries/fabrics";
import { address } from "@/api/request";
import { useAddress, useTyped } from "@/components/address";
import { DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { summary } from "@/pages/events/live_events";

const DAYS = [
  { value: "", label: "Any time" },
  { value: "1", label: "The last day" },
  { value: "7", label: "The last week" },
  { value: "30", label: "The last 30 days" },
];

/** Start of the requested time, to the hour, so that the query stays the same while the page is open. */
export function since(days: string, now: number = Date.now()): string {
  if (days === "") return "";
  const hour = 3600_000;
  return new Date(Math.floor(now / hour) * hour - Number(days) * 24 * hour).toISOString();
}

export function AuditLog() {
  const here = useAddress();
  const actor = useTyped(here, "actor");
  const action = useTyped(here, "action");
  const fabrics = useFabrics().items ?? [];
  const fabric = here.get("fabric");
  const days = here.get("days");
  const filter = { fabric, actor: actor.settled, action: action.settled, since: since(days) };
  const audit = useAudit(filter);
  return (
    <div className="stack">
      <div className="row bottom">
        <Select
          label="Fabric"
          data={[{ value: "", label: "All" }, ...fabrics.map(({ name }) => name)]}
          value={fabric}
          onChange={(value) => here.set({ fabric: value })}
        />
        <TextInput label="Who" value={actor.value} onChange={(event) => actor.type(event.currentTarget.value)} />
        <TextInput
          label="Action"
          placeholder="fabric.apply"
          value={action.value}
          onChange={(event) => action.type(event.currentTarget.value)}
        />
        <Select label="When" data={DAYS} value={days} onChange={(value) => here.set({ days: value })} />
      </div>
      <QueryView query={{ ...audit, data: audit.items }} rows={10}>
        {(items) => (
          <>
            <DataTable
              caption="Audit log"
              columns={[
                { key: "at", title: "When", value: (row) => row.at, show: (row) => <At at={row.at} /> },
                { key: "actor", title: "Who", head: true, value: (row) => row.actor },
                { key: "via", title: "Through", value: (row) => row.via, show: (row) => withoutId(row.via) },
                { key: "action", title: "Action", value: (row) => row.action },
                {
                  key: "object",
                  title: "Object",
                  value: (row) => row.object,
                  show: (row) => withoutId(row.object),
                },
                { key: "fabric", title: "Fabric", value: (row) => row.fabric },
                { key: "address", title: "From", value: (row) => row.address },
                {
                  key: "detail",
                  title: "Detail",
                  value: (row) => (row.detail ? JSON.stringify(row.detail) : ""),
                  show: (row) => <span className="cell-text">{summary(row.detail)}</span>,
                },
              ]}
              rows={items}
              rowKey={(row) => row.id}
              file="audit"
              empty="No entry matches."
            />
            <div className="row small">
              {audit.hasNextPage && (
                <button type="button" className="plain-link" onClick={() => audit.fetchNextPage()}>
                  Load older entries
                </button>
              )}
              <a href={address("/audit", { ...filter, format: "csv" })} download="audit.csv">
                All matching entries as CSV
              </a>
            </div>
          </>
        )}
      </QueryView>
    </div>
  );
}

/** Without the identifier of a job or campaign, which the files have: nobody reads it, and it takes half of the table. */
function withoutId(text: string): string {
  return text.replace(/ (\([0-9a-f]{32}\)|[0-9a-f]{32})$/, "");
}
