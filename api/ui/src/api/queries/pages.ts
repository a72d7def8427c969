// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Lists in pages, of which pages are fetched one after the other on demand. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { keptWithin } from "@/api/queries/kept_within";
import { get } from "@/api/request";
import type { Page } from "@/api/types";

type Query = Record<string, string | number | boolean | null | undefined>;

/** Largest page of the service. */
const LIMIT = 200;

/** `entity`: whose list it is; it is kept while another `query` of the same list is under way. */
export function useAllPages<T>(
  entity: readonly unknown[],
  where: string,
  query: Query = {},
  options: { refetchInterval?: number; enabled?: boolean } = {},
) {
  const asked = useInfiniteQuery({
    ...keptWithin([...entity, "pages"], query),
    queryFn: ({ pageParam, signal }) => get<Page<T>>(where, { ...query, limit: LIMIT, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    ...options,
  });
  const items = useMemo(() => asked.data?.pages.flatMap((page) => page.items), [asked.data]);
  return { ...asked, items };
}
