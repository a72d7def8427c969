// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The routing of a fabric: advice, the advised line of OpenSM, and trials of it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { address, get, path, post } from "@/api/request";
import type { FabricRouting, Job } from "@/api/types";

export function useFabricRouting(fabric: string) {
  return useQuery({
    queryKey: ["fabrics", fabric, "routing"],
    queryFn: () => get<FabricRouting>(path`/fabrics/${fabric}/routing`),
    enabled: fabric !== "",
  });
}

export function useTryRouting(fabric: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<Job>(path`/fabrics/${fabric}/routing/trial`, {}, { idempotent: true }),
    onSettled: () => client.invalidateQueries({ queryKey: ["fabrics", fabric, "routing"] }),
  });
}

/** Address of a file of the line; without a name, of all in one archive. */
export function routingFile(fabric: string, name?: string): string {
  return address(name === undefined ? path`/fabrics/${fabric}/routing/files` : path`/fabrics/${fabric}/routing/files/${name}`);
}
