// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What happens in the service, as it happens. Events tell what has become stale; the answers themselves are asked for. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { follow, type LinkState, type ServiceEvent } from "@/api/event_stream";
import { address } from "@/api/request";

/** At most so often are answers asked for again, however many trials end in a second. */
const PAUSE_MS = 700;

/** Follows topics and calls `react` for every event; the state of the line is for a sign on the page. */
export function useEvents(topics: string[], react: (event: ServiceEvent) => void): LinkState {
  const [link, setLink] = useState<LinkState>("connecting");
  const latest = useRef(react);
  useEffect(() => {
    latest.current = react;
  });
  const wanted = topics.join(",");
  useEffect(() => {
    if (wanted) return follow(address("/events", { topics: wanted }), (event) => latest.current(event), setLink);
  }, [wanted]);
  return link;
}

/** Follows topics, and has whatever depends on them asked for again. `stale`: the query keys' beginnings. */
export function useLive(topics: string[], stale: readonly (readonly unknown[])[]): LinkState {
  const client = useQueryClient();
  const waiting = useRef<number | null>(null);
  useEffect(() => () => window.clearTimeout(waiting.current ?? undefined), []);
  return useEvents(topics, () => {
    waiting.current ??= window.setTimeout(() => {
      waiting.current = null;
      for (const queryKey of stale) void client.invalidateQueries({ queryKey: [...queryKey] });
    }, PAUSE_MS);
  });
}
