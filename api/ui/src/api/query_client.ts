// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Keeps answers and asks for them again. Events from the service make them stale at once; polling is only the safety net. */

import { QueryClient } from "@tanstack/react-query";
import { Problem } from "@/api/problem";

export function makeQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        refetchOnWindowFocus: true,
        // A problem is an answer and will be the same again; silence may end.
        retry: (failures, error) => !(error instanceof Problem && error.status < 500) && failures < 3,
      },
      mutations: { retry: false },
    },
  });
}
