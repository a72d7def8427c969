// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What makes flows slow on a fabric: the last diagnosis, and the last nights of its checks. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, path, post } from "@/api/request";
import type { FabricDiagnosis, Job } from "@/api/types";

const key = (fabric: string) => ["fabrics", fabric, "diagnosis"];

export function useFabricDiagnosis(fabric: string) {
  return useQuery({
    queryKey: key(fabric),
    queryFn: () => get<FabricDiagnosis>(path`/fabrics/${fabric}/diagnosis`),
    enabled: fabric !== "",
  });
}

/** `workload`: null to watch the ports of switches to hosts. */
export function useDiagnose(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (asked: { workload: string | null; time_scale: number }) =>
      post<Job>(path`/fabrics/${fabric}/diagnosis`, asked, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: key(fabric) }),
  });
}

/** Asks anew, once the job has ended. */
export function useDiagnosisEnded(fabric: string) {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: key(fabric) });
}
