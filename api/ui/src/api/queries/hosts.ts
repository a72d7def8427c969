// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The hosts of a fabric: who is where, and whether they are ready. All under the fabric's key, as its events make them stale. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type { Fleet, Host, HostPaths, HostPathsRow, HostsCheck, Inventory, Job } from "@/api/types";

export function useHosts(fabric: string, filter: { q: string; verdict: string }) {
  return useAllPages<Host>(["fabrics", fabric, "hosts"], path`/fabrics/${fabric}/hosts`, filter);
}

export function useHostsCheck(fabric: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "hosts-check"],
    queryFn: () => get<HostsCheck>(path`/fabrics/${fabric}/hosts/check`),
    enabled: fabric !== "",
  });
}

export function useCheckHosts(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<Job>(path`/fabrics/${fabric}/hosts/check`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useFleet(fabric: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "fleet"],
    queryFn: () => get<Fleet>(path`/fabrics/${fabric}/hosts/paths`),
  });
}

export function useHostPathsRows(fabric: string, filter: { q: string; verdict: string }) {
  return useAllPages<HostPathsRow>(["fabrics", fabric, "host-paths"], path`/fabrics/${fabric}/hosts/paths/nodes`, filter);
}

export function useHostPaths(fabric: string, node: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "host-paths", "node", node],
    queryFn: () => get<HostPaths>(path`/fabrics/${fabric}/hosts/paths/nodes/${node}`),
  });
}

/** `triggered`: busy hosts are tested too. */
export function usePingHosts(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { nodes?: string; triggered: boolean }) =>
      post<Job>(path`/fabrics/${fabric}/hosts/paths`, asked, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useWatchHosts(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { seconds: number; test: boolean }) =>
      post<Job>(path`/fabrics/${fabric}/hosts/watch`, asked, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useForgetBaselines(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => send<void>("DELETE", path`/fabrics/${fabric}/hosts/paths/baselines`),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

/** `there`: a fabric without one is not asked. */
export function useInventory(fabric: string, there: boolean) {
  return useQuery({
    queryKey: ["fabrics", fabric, "inventory"],
    queryFn: () => get<Inventory>(path`/fabrics/${fabric}/inventory`),
    enabled: there,
  });
}

/** `etag`: of the one that was changed; null: it is new. */
export function useSaveInventory(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ document, etag }: { document: string; etag: string | null }) =>
      send<Inventory>("PUT", path`/fabrics/${fabric}/inventory`, {
        body: { document },
        ...(etag === null ? { isNew: true } : { ifMatch: etag }),
      }),
    onSuccess: ({ body }) => client.setQueryData(["fabrics", fabric, "inventory"], body),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useRemoveInventory(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (etag: string) => send<void>("DELETE", path`/fabrics/${fabric}/inventory`, { ifMatch: etag }),
    onSuccess: () => {
      // First, so that it is not asked for again.
      client.setQueryData<HostsCheck>(["fabrics", fabric, "hosts-check"], (check) => check && { ...check, inventory: null });
      client.removeQueries({ queryKey: ["fabrics", fabric, "inventory"] });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}
