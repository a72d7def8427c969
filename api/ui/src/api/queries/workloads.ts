// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Workloads: those that come with ibcc, and people's own. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post, send } from "@/api/request";
import type { Workload, WorkloadUse } from "@/api/types";

export function useWorkloads() {
  return useAllPages<Workload>(["workloads"], "/workloads");
}

export function useWorkload(name: string) {
  return useQuery({
    queryKey: ["workloads", name],
    queryFn: () => get<Workload>(path`/workloads/${name}`),
    enabled: name !== "",
  });
}

export function useWorkloadUses(name: string) {
  return useQuery({ queryKey: ["workloads", name, "uses"], queryFn: () => get<WorkloadUse[]>(path`/workloads/${name}/uses`) });
}

export function useCreateWorkload() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (workload: { name: string; document: string; belongs_to: string | null }) =>
      post<Workload>("/workloads", workload),
    onSuccess: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}

export function useSaveWorkload(name: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (change: { document: string; belongs_to: string | null; etag: string }) =>
      (
        await send<Workload>("PUT", path`/workloads/${name}`, {
          body: { document: change.document, belongs_to: change.belongs_to },
          ifMatch: change.etag,
        })
      ).body,
    onSettled: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}

export function useDeleteWorkload() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (workload: { name: string; etag: string }) =>
      send<void>("DELETE", path`/workloads/${workload.name}`, { ifMatch: workload.etag }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["workloads"] }),
  });
}
