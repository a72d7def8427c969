// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Events, newest first: the last hundred that were kept, and those since the page was opened. */

import { Select } from "@mantine/core";
import { useEffect, useState } from "react";
import type { ServiceEvent } from "@/api/event_stream";
import { useEvents } from "@/api/events";
import { useAllTopics, useFabrics } from "@/api/queries/fabrics";
import { useKeptEvents } from "@/api/queries/kept_events";
import { useMay } from "@/api/queries/session";
import type { AuditEntry, Job, Severity } from "@/api/types";
import { useAddress } from "@/components/address";
import { DataTable } from "@/components/data_table";
import { ErrorNotice } from "@/components/notice";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { jobText, progressText } from "@/format/job";
import { type Heard, heardNow, merged } from "@/pages/events/heard";
import { SEVERITIES, SeverityTag } from "@/pages/events/severity_tag";

/** Largest number of events shown; older ones are in the audit log and the list of jobs. */
const KEPT = 300;

/** The short values of an event's data, in one line. */
export function summary(data: unknown): string {
  if (data === null || typeof data !== "object") return String(data ?? "");
  return Object.entries(data)
    .filter(([, value]) => value !== null && typeof value !== "object" && String(value).length <= 120)
    .map(([key, value]) => `${key} ${value}`)
    .join(", ");
}

/** An event as text, without its time, which has its own column. */
export function happening({ kind, data }: Pick<ServiceEvent, "kind" | "data">): string {
  if (kind === "job") {
    const job = data as Job;
    return [`${jobText(job)}: ${job.state}`, progressText(job), `by ${job.created_by}`].filter(Boolean).join(", ");
  }
  if (kind === "entry") {
    const { actor, action, object, detail } = data as AuditEntry;
    return [`${actor}: ${action}, ${object}`, detail ? summary(detail) : ""].filter(Boolean).join(", ");
  }
  if (kind.startsWith("check.")) {
    const { check, fabric, date, night, verdict, state, headline, action, answer, cause } = data as Record<string, string | null>;
    const about = [(date ?? night) && `night of ${date ?? night}`, answer, verdict ?? state, headline ?? cause, action];
    return `check ${check} on ${fabric}: ${about.filter(Boolean).join(", ")}`;
  }
  const { at: _at, topic: _topic, severity: _severity, text, headline, ...rest } = data as Record<string, unknown>;
  const sentence = text ?? headline;
  return typeof sentence === "string" ? sentence : summary(rest);
}

const SHOWN = [
  { value: "", label: "Everything" },
  { value: "info", label: "Info and graver" },
  { value: "warning", label: "Warnings and errors" },
  { value: "error", label: "Errors" },
];

export function LiveEvents() {
  const fabrics = useFabrics().items ?? [];
  const operator = useMay("operator");
  const address = useAddress();
  const [severity, fabric] = [address.get("severity") as Severity | "", address.get("fabric")];
  const [heard, setHeard] = useState<Heard[]>([]);
  const kept = useKeptEvents(severity, fabric);
  const topics = useAllTopics();
  const link = useEvents(topics && operator ? ["audit", ...topics] : topics, (event) =>
    setHeard((old) => [heardNow(event, new Date()), ...old].slice(0, KEPT)),
  );
  const { refetch } = kept;
  useEffect(() => {
    if (link === "live") void refetch(); // what has happened between the list and the stream, or during a loss of connection
  }, [link, refetch]);
  const wanted = severity ? SEVERITIES.slice(SEVERITIES.indexOf(severity)) : null;
  const rows = merged(heard, kept.data ?? [], wanted, fabric, KEPT);
  return (
    <div className="stack">
      <div className="row bottom">
        <Select
          label="Severity"
          data={SHOWN}
          value={severity}
          allowDeselect={false}
          onChange={(value) => address.set({ severity: value }, { replace: true })}
        />
        <Select
          label="Fabric"
          data={[{ value: "", label: "All" }, ...fabrics.map(({ name }) => name)]}
          value={fabric}
          allowDeselect={false}
          onChange={(value) => address.set({ fabric: value }, { replace: true })}
        />
        <p aria-live="polite">
          <Tag
            state={link}
            text={link === "live" ? "connected" : link === "lost" ? "connection lost, reconnecting" : "connecting"}
            tone={link === "live" ? "good" : "warn"}
          />
        </p>
      </div>
      <ErrorNotice error={kept.error} />
      <DataTable
        caption="Events, the newest first"
        className="event-table"
        columns={[
          { key: "at", title: "Time", value: (row) => row.at, show: (row) => <At at={row.at} /> },
          {
            key: "data",
            title: "Event",
            value: happening,
            show: (row) => <div className="breaking sentence">{happening(row)}</div>,
          },
          {
            key: "severity",
            title: "Severity",
            value: (row) => row.severity ?? "",
            show: (row) => (row.severity ? <SeverityTag severity={row.severity} /> : "–"),
          },
          { key: "fabric", title: "Fabric", value: (row) => row.fabric ?? "" },
          { key: "kind", title: "Kind", head: true, value: (row) => row.kind },
        ]}
        rows={rows}
        rowKey={(row) => String(row.id)}
        file="events"
        empty={severity || fabric ? "No kept event matches, and none has come since this page was opened." : "No events yet."}
      />
    </div>
  );
}
