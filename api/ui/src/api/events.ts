// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Live events of the service. An event says which data is stale; the data itself is fetched again. */

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { follow, type LinkState, type ServiceEvent } from "@/api/event_stream";
import { address } from "@/api/request";

/** Shortest time between two fetches, however many trials end in a second. */
const PAUSE_MS = 700;

/** Follows topics, null while they are not known, and calls `react` for every event. Returns the state of the connection, which the page shows. */
export function useEvents(topics: string[] | null, react: (event: ServiceEvent) => void): LinkState {
  const [link, setLink] = useState<LinkState>("connecting");
  const latest = useRef(react);
  useEffect(() => {
    latest.current = react;
  });
  const wanted = topics?.join(",");
  useEffect(() => {
    if (wanted) return follow(address("/events", { topics: wanted }), (event) => latest.current(event), setLink);
  }, [wanted]);
  return link;
}

/** Prefixes of query keys. */
type Keys = readonly (readonly unknown[])[];

/** Follows topics, null while they are not known, and fetches again what depends on them. `stale`: what each event makes stale. */
export function useLive(topics: string[] | null, stale: Keys | ((event: ServiceEvent) => Keys)): LinkState {
  const client = useQueryClient();
  const waiting = useRef<number | null>(null);
  const wanted = useRef(new Map<string, readonly unknown[]>());
  useEffect(() => () => window.clearTimeout(waiting.current ?? undefined), []);
  return useEvents(topics, (event) => {
    for (const key of typeof stale === "function" ? stale(event) : stale) wanted.current.set(JSON.stringify(key), key);
    waiting.current ??= window.setTimeout(() => {
      waiting.current = null;
      const keys = [...wanted.current.values()];
      wanted.current.clear();
      for (const queryKey of keys) void client.invalidateQueries({ queryKey: [...queryKey] });
    }, PAUSE_MS);
  });
}
