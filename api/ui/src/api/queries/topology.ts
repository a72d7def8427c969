// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The picture of a fabric. It is fetched once; then only what differs is, and put into what is there. */

import { type QueryClient, useQuery, useQueryClient } from "@tanstack/react-query";
import { keptWithin } from "@/api/queries/kept_within";
import { useAllPages } from "@/api/queries/pages";
import { get, path } from "@/api/request";
import type {
  Congestion,
  FabricPath,
  FoundNodes,
  LinkRow,
  MeasuredCc,
  Topology,
  TopologyChanges,
  TopologyNode,
} from "@/api/types";

interface View {
  expand: string[];
  cc: MeasuredCc | null;
}

export function useTopology(fabric: string, { expand, cc }: View) {
  const client = useQueryClient();
  const kept = keptWithin(["fabrics", fabric, "topology"], expand, cc);
  return useQuery({
    ...kept,
    queryFn: ({ signal }) => latest(client, kept.queryKey, path`/fabrics/${fabric}/topology`, { expand, cc }, signal),
    refetchInterval: 15_000,
    // What did not change stays the same object already; a comparison of the whole would cost more than the answer.
    structuralSharing: false,
  });
}

async function latest(
  client: QueryClient,
  queryKey: readonly unknown[],
  where: string,
  view: View,
  signal: AbortSignal,
): Promise<Topology> {
  const known = client.getQueryData<Topology>(queryKey);
  if (!known) return get<Topology>(where, { ...view }, signal);
  return patched(known, await get<TopologyChanges>(`${where}/changes`, { ...view, since: known.version }, signal));
}

/** The picture with what differs. Nodes and links that do not differ, and levels without a difference, stay the same objects. */
export function patched(known: Topology, changes: TopologyChanges): Topology {
  if (changes.whole) return changes.whole;
  if (changes.version === known.version) return known;
  const nodes = new Map(changes.nodes.map((node) => [node.id, node]));
  const links = new Map(changes.links.map((link) => [`${link.a} ${link.b}`, link]));
  const { version, unplaced, unplaced_count, congestion } = changes;
  return {
    ...known,
    version,
    unplaced,
    unplaced_count,
    congestion,
    levels:
      nodes.size === 0
        ? known.levels
        : known.levels.map((level) =>
            level.nodes.some(({ id }) => nodes.has(id))
              ? { ...level, nodes: level.nodes.map((node): TopologyNode => nodes.get(node.id) ?? node) }
              : level,
          ),
    links: links.size === 0 ? known.links : known.links.map((link) => links.get(`${link.a} ${link.b}`) ?? link),
  };
}

export function useFoundNodes(fabric: string, q: string) {
  return useQuery({
    ...keptWithin(["fabrics", fabric, "found"], q),
    queryFn: ({ signal }) => get<FoundNodes>(path`/fabrics/${fabric}/topology/nodes`, { q }, signal),
    enabled: q.trim() !== "",
  });
}

export function usePath(fabric: string, from: string, to: string, { expand, cc }: View) {
  return useQuery({
    queryKey: ["fabrics", fabric, "path", from, to, expand, cc],
    queryFn: ({ signal }) => get<FabricPath>(path`/fabrics/${fabric}/path`, { from, to, expand, cc }, signal),
    enabled: from !== "" && to !== "",
  });
}

export function useLinks(fabric: string, q: string, cc: MeasuredCc | null) {
  return useAllPages<LinkRow>(["fabrics", fabric, "links"], path`/fabrics/${fabric}/links`, { q, cc });
}

export function useCongestion(fabric: string, cc: MeasuredCc | null) {
  return useQuery({
    queryKey: ["fabrics", fabric, "congestion", cc],
    queryFn: ({ signal }) => get<Congestion>(path`/fabrics/${fabric}/congestion`, { cc, devices: false }, signal),
    refetchInterval: 15_000,
  });
}
