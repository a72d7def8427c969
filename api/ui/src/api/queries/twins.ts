// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Twins of imports and fabrics. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { get, path, post } from "@/api/request";
import type { Twin } from "@/api/types";

/** Whose twin it is. */
export type TwinOf = { import: string } | { fabric: string };

export function twinPath(of: TwinOf): string {
  return "import" in of ? path`/fabric-imports/${of.import}/twin` : path`/fabrics/${of.fabric}/twin`;
}

export function useTwin(of: TwinOf) {
  return useQuery({ queryKey: ["twins", twinPath(of)], queryFn: () => get<Twin | null>(twinPath(of)) });
}

export function useMakeTwin(of: TwinOf) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => post<Twin>(twinPath(of)),
    onSuccess: (twin) => client.setQueryData(["twins", twinPath(of)], twin),
  });
}

/** Asks anew, once the job has ended. */
export function useTwinEnded(of: TwinOf) {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: ["twins", twinPath(of)] });
}
