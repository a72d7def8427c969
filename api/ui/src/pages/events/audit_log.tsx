// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Who did what, when, to what. */

import { Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { useAudit } from "@/api/queries/audit";
import { useFabrics } from "@/api/queries/fabrics";
import { address } from "@/api/request";
import { summary } from "@/pages/events/live_events";
import { Asked } from "@/parts/asked";
import { DataTable } from "@/parts/data_table";
import { At } from "@/parts/time";

const DAYS = [
  { value: "", label: "Since ever" },
  { value: "1", label: "The last day" },
  { value: "7", label: "The last week" },
  { value: "30", label: "The last 30 days" },
];

/** The beginning of the time that is asked for, to the hour, so that the question stays the same while the page is open. */
export function since(days: string, now: number = Date.now()): string {
  if (days === "") return "";
  const hour = 3600_000;
  return new Date(Math.floor(now / hour) * hour - Number(days) * 24 * hour).toISOString();
}

export function AuditLog() {
  const [search, setSearch] = useSearchParams();
  const [actor, setActor] = useState(search.get("actor") ?? "");
  const [action, setAction] = useState(search.get("action") ?? "");
  const [settled] = useDebouncedValue({ actor, action }, 300);
  const fabrics = useFabrics().items ?? [];
  const fabric = search.get("fabric") ?? "";
  const days = search.get("days") ?? "";
  const filter = { fabric, ...settled, since: since(days) };
  const audit = useAudit(filter);
  const set = (key: string, value: string | null) =>
    setSearch((old) => {
      const next = new URLSearchParams(old);
      value ? next.set(key, value) : next.delete(key);
      return next;
    });
  return (
    <div className="stack">
      <div className="row bottom">
        <Select
          label="Fabric"
          data={[{ value: "", label: "All" }, ...fabrics.map(({ name }) => name)]}
          value={fabric}
          onChange={(value) => set("fabric", value)}
        />
        <TextInput label="Who" value={actor} onChange={(event) => setActor(event.currentTarget.value)} />
        <TextInput
          label="Action"
          placeholder="fabric.apply"
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
        <Select label="When" data={DAYS} value={days} onChange={(value) => set("days", value)} />
      </div>
      <Asked query={{ ...audit, data: audit.items }} rows={10}>
        {(items) => (
          <>
            <DataTable
              caption="Audit log"
              columns={[
                { key: "at", title: "When", value: (row) => row.at, show: (row) => <At at={row.at} /> },
                { key: "actor", title: "Who", head: true, value: (row) => row.actor },
                { key: "via", title: "Through", value: (row) => row.via },
                { key: "action", title: "Action", value: (row) => row.action },
                { key: "object", title: "Object", value: (row) => row.object },
                { key: "fabric", title: "Fabric", value: (row) => row.fabric },
                { key: "address", title: "From", value: (row) => row.address },
                {
                  key: "detail",
                  title: "Detail",
                  value: (row) => (row.detail ? JSON.stringify(row.detail) : ""),
                  show: (row) => summary(row.detail),
                },
              ]}
              rows={items}
              rowKey={(row) => row.id}
              file="audit"
              empty="Nothing fits."
            />
            <div className="row small">
              {audit.hasNextPage && (
                <button type="button" className="plain-link" onClick={() => audit.fetchNextPage()}>
                  Load older entries
                </button>
              )}
              <a href={address("/audit", { ...filter, format: "csv" })} download="audit.csv">
                All that fit, as CSV
              </a>
            </div>
          </>
        )}
      </Asked>
    </div>
  );
}
