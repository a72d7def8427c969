// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Long-running actions: the service answers at once with a job, and works on it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAllPages } from "@/api/queries/pages";
import { get, path, post } from "@/api/request";
import type { Job } from "@/api/types";

export function hasEnded(job: Job): boolean {
  return job.ended_at !== null;
}

export function useJobs() {
  return useAllPages<Job>(["jobs"], "/jobs", {}, { refetchInterval: 10_000 });
}

/** Refetched every second until it has ended. */
export function useJob(id: string | null) {
  return useQuery({
    queryKey: ["jobs", id],
    queryFn: () => get<Job>(path`/jobs/${id ?? ""}`),
    enabled: id !== null,
    refetchInterval: (query) => (query.state.data && hasEnded(query.state.data) ? false : 1000),
  });
}

export function useCancelJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => post<Job>(path`/jobs/${id}/cancel`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["jobs"] }),
  });
}
