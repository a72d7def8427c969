// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Events since the page was opened, newest first. */

import { useState } from "react";
import type { ServiceEvent } from "@/api/event_stream";
import { useEvents } from "@/api/events";
import { useFabrics } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import type { AuditEntry, Job } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Tag } from "@/components/tag";
import { progressText } from "@/format/job";
import { dateTime } from "@/format/time";

type Heard = ServiceEvent & { at: string; serial: number };

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
    const where = job.fabric ? ` on ${job.fabric}` : "";
    return [`${job.kind}${where}: ${job.state}`, progressText(job), `by ${job.created_by}`].filter(Boolean).join(", ");
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
  const { at: _at, topic: _topic, ...rest } = data as Record<string, unknown>;
  return summary(rest);
}

export function LiveEvents() {
  const fabrics = useFabrics().items ?? [];
  const operator = useMay("operator");
  const [heard, setHeard] = useState<Heard[]>([]);
  const topics = ["jobs", "checks", ...(operator ? ["audit"] : []), ...fabrics.map(({ name }) => `fabric:${name}`)];
  const link = useEvents(topics, (event) =>
    setHeard((old) => [{ ...event, at: new Date().toISOString(), serial: (old[0]?.serial ?? 0) + 1 }, ...old].slice(0, KEPT)),
  );
  return (
    <div className="stack">
      <p aria-live="polite">
        <Tag
          state={link}
          text={link === "live" ? "connected" : link === "lost" ? "connection lost, reconnecting" : "connecting"}
          tone={link === "live" ? "good" : "warn"}
        />
      </p>
      <DataTable
        caption="Events since this page was opened"
        columns={[
          { key: "at", title: "Received", value: (row) => row.at, show: (row) => dateTime(row.at) },
          { key: "kind", title: "Kind", head: true, value: (row) => row.kind },
          { key: "data", title: "Event", value: happening },
        ]}
        rows={heard}
        rowKey={(row) => String(row.serial)}
        file="events"
        empty="Nothing has happened since this page was opened."
      />
    </div>
  );
}
