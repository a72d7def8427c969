// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Events that a stream has brought, together with those that were kept before it was opened. */

import type { ServiceEvent } from "@/api/event_stream";
import type { KeptEvent, Severity } from "@/api/types";

/** An event of either. `severity`: null if it only reports progress. */
export interface Heard {
  id: number;
  at: string;
  kind: string;
  severity: Severity | null;
  fabric: string | null;
  data: Record<string, unknown>;
}

/** An event of the stream: the service adds its time and severity to the data. */
export function heardNow({ id, kind, data }: ServiceEvent, now: Date): Heard {
  const known = (data ?? {}) as Record<string, unknown>;
  return {
    id: Number(id),
    at: typeof known.at === "string" ? known.at : now.toISOString(),
    kind,
    severity: (known.severity as Severity | undefined) ?? null,
    fabric: typeof known.fabric === "string" ? known.fabric : null,
    data: known,
  };
}

/** Each event once, newest first, those that match; at most `most`. */
export function merged(heard: Heard[], kept: KeptEvent[], severities: Severity[] | null, fabric: string, most: number): Heard[] {
  const known = new Map<number, Heard>(kept.map((event) => [event.id, { ...event, data: { ...event.data, text: event.text } }]));
  for (const event of heard) known.set(event.id, event);
  return [...known.values()]
    .filter(
      (event) => (!severities || (event.severity && severities.includes(event.severity))) && (!fabric || event.fabric === fabric),
    )
    .sort((a, b) => b.id - a.id)
    .slice(0, most);
}
