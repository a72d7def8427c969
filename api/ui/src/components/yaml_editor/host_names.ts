// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Names of a fabric's hosts for documents that name them. */

import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { get, path } from "@/api/request";
import type { DeviceRow, Page } from "@/api/types";
import type { Lookup, Names } from "@/components/yaml_editor/completion";

const MOST_READ = 200;
const MOST_OFFERED = 50;

/** Hosts as documents refer to them: by description, or by GUID where several have it. */
export function references(devices: Pick<DeviceRow, "guid" | "name">[]): { name: string; detail?: string }[] {
  const byGuid = new Map(devices.map(({ guid, name }) => [guid, name]));
  const times = new Map<string, number>();
  for (const name of byGuid.values()) times.set(name, (times.get(name) ?? 0) + 1);
  return [...byGuid].map(([guid, name]) => ((times.get(name) ?? 0) > 1 ? { name: `guid:${guid}`, detail: name } : { name }));
}

/** Names of the hosts of `fabric` at those places. The same object at each call. */
export function useHostNames(fabric: string | null, places: readonly string[]): Names {
  const client = useQueryClient();
  return useMemo(() => {
    if (fabric === null) return {};
    const lookup: Lookup = async (q) => {
      const query = { kind: "host", limit: MOST_READ, ...(q && { q: q.slice(0, 100) }) };
      try {
        const { items } = await client.fetchQuery({
          queryKey: ["host-names", fabric, q],
          queryFn: ({ signal }) => get<Page<DeviceRow>>(path`/fabrics/${fabric}/devices`, query, signal),
          staleTime: 30_000,
          retry: false,
        });
        return references(items).slice(0, MOST_OFFERED);
      } catch {
        return []; // a fabric that is not responding
      }
    };
    return Object.fromEntries(places.map((place) => [place, lookup]));
  }, [client, fabric, places]);
}
