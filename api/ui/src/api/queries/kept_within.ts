// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a page shows of an entity while it waits for another answer about the same entity. */

import { hashKey, type QueryKey } from "@tanstack/react-query";

/**
 * The key of a query and what stands in for its answer: the former answer of the same place on the page, if the former key began
 * with the same entity. `entity` names whatever the answer is about, such as a fabric; `view` what is chosen of it, such as a filter.
 * No other code keeps former answers: one about another entity would stand under this one's name.
 */
export function keptWithin(entity: QueryKey, ...view: unknown[]) {
  const whose = hashKey(entity);
  return {
    queryKey: [...entity, ...view],
    placeholderData: <T>(former: T | undefined, query: { queryKey: QueryKey } | undefined): T | undefined =>
      query && hashKey(query.queryKey.slice(0, entity.length)) === whose ? former : undefined,
  };
}
