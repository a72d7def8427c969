// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** How answers are kept and asked for again. Events from the service make them stale at once; polling is only the net below. */

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
