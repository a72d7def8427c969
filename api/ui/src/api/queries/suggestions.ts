// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Suggested profiles. */

import { useQuery } from "@tanstack/react-query";
import { path, send } from "@/api/request";
import type { Suggestion, SuggestionBody } from "@/api/types";

/**
 * Nothing is stored: the same question has the same answer until the fabric or a workload changes. Another question shows no former
 * answer, which could be saved for it.
 */
export function useSuggestion(fabric: string, body: Partial<SuggestionBody>) {
  return useQuery({
    queryKey: ["suggestion", fabric, body],
    queryFn: ({ signal }) =>
      send<Suggestion>("POST", path`/fabrics/${fabric}/suggestion`, { body, signal }).then((answer) => answer.body),
    enabled: fabric !== "",
    refetchOnWindowFocus: false,
  });
}
