// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Fabrics, what they look like, and what may be done with them. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type { Adopted, ClearForeign, DeviceDetail, DeviceRow, Fabric, FabricDetail, FabricState, Job, Plan } from "@/api/types";

export function useFabrics() {
  return useAllPages<Fabric>(["fabrics"], "/fabrics");
}

/** Topics of jobs, checks and all fabrics; null until the fabrics are known, so that no stream is opened and closed at once. */
export function useAllTopics(): string[] | null {
  const { items, isPending } = useFabrics();
  return isPending ? null : ["jobs", "checks", ...(items ?? []).map(({ name }) => `fabric:${name}`)];
}

export function useFabricState(fabric: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "state"],
    queryFn: () => get<FabricState>(path`/fabrics/${fabric}/state`),
    refetchInterval: 15_000,
    enabled: fabric !== "",
  });
}

export function useDevices(
  fabric: string,
  filter: {
    q: string;
    kind: string;
    state: string;
    mark: string;
    firmware: string;
    dialect: string;
    aggregation: boolean;
  },
) {
  return useAllPages<DeviceRow>(["fabrics", fabric, "devices"], path`/fabrics/${fabric}/devices`, filter);
}

export function useDevice(fabric: string, guid: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "devices", guid],
    queryFn: () => get<DeviceDetail>(path`/fabrics/${fabric}/devices/${guid}`),
    enabled: guid !== "",
  });
}

export function usePlan(fabric: string, profile: string, version: number | null) {
  return useQuery({
    queryKey: ["fabrics", fabric, "plan", profile, version],
    queryFn: () => post<Plan>(path`/fabrics/${fabric}/plan`, { profile, version: version ?? undefined }),
    enabled: fabric !== "" && profile !== "",
    staleTime: 0,
  });
}

/** Asked for again when the fabric's profiles change, and not by what a rollback itself makes of them. */
export function useRollbackPlan({ fabric, base_profile, former_profile, active_profile }: FabricState) {
  return useQuery({
    queryKey: ["rollback-plan", fabric, base_profile?.digest, former_profile?.digest, active_profile?.digest],
    queryFn: () => get<Plan>(path`/fabrics/${fabric}/rollback-plan`),
    staleTime: 0,
  });
}

type Action = "verify" | "rollback" | "restore" | "ask-devices";

/** The answer is a job: the fabric takes its time. */
export function useFabricAction(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (action: Action) => post<Job>(path`/fabrics/${fabric}/${action}`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

/** The answer is the new profile, and who holds what it cannot say. */
export function useAdopt(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (name: string) => post<Adopted>(path`/fabrics/${fabric}/adopt`, { name }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["profiles"] }),
  });
}

export function useClearForeign(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<ClearForeign>(path`/fabrics/${fabric}/clear-foreign`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useApply(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (wanted: { profile: string; version?: number; ttl_s: number }) =>
      post<Job>(path`/fabrics/${fabric}/apply`, wanted, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric] }),
  });
}

export function useAddFabric() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (fabric: { name: string; kind: string; options: Record<string, unknown>; second_person: boolean }) =>
      post<FabricDetail>("/fabrics", fabric),
    onSuccess: () => client.invalidateQueries({ queryKey: ["fabrics"] }),
  });
}

export function useChangeFabric() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ name, ...change }: { name: string; second_person?: boolean; description?: string }) => {
      const { etag } = await send<FabricDetail>("GET", path`/fabrics/${name}`);
      return send<FabricDetail>("PATCH", path`/fabrics/${name}`, { body: change, ifMatch: etag ?? undefined });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics"] }),
  });
}

export function useRemoveFabric() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (name: string) => {
      const { etag } = await send<FabricDetail>("GET", path`/fabrics/${name}`);
      await send<void>("DELETE", path`/fabrics/${name}`, { ifMatch: etag ?? undefined });
    },
    onSuccess: () => client.invalidateQueries({ queryKey: ["fabrics"] }),
  });
}
