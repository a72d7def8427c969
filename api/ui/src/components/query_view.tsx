// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The state of a query: loading, an error, or the data; former data are dimmed. */

import { Button, Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { sentence } from "@/api/problem";
import { Former } from "@/components/former";
import { Notice } from "@/components/notice";
import { Words } from "@/components/words";

interface Query<T> {
  data: T | undefined;
  error: unknown;
  refetch: () => unknown;
  /** True while the data are a former answer (`keptWithin`). */
  isPlaceholderData?: boolean;
}

interface Props<T> {
  query: Query<T>;
  /** Placeholder rows while loading: about as many as the answer will take. */
  rows?: number;
  children: (data: T) => ReactNode;
}

export function QueryView<T>({ query, rows = 3, children }: Props<T>) {
  if (query.data !== undefined) return <Former when={query.isPlaceholderData ?? false}>{children(query.data)}</Former>;
  if (query.error) {
    return (
      <Notice kind="bad" title="Could not load this">
        <p>
          <Words of={sentence(query.error)} />
        </p>
        <Button mt="xs" size="xs" variant="default" onClick={() => query.refetch()}>
          Retry
        </Button>
      </Notice>
    );
  }
  return <Loading rows={rows} />;
}

/** In the place of what is being loaded. */
export function Loading({ rows }: { rows: number }) {
  return (
    <div className="stack tight" aria-busy="true">
      <span className="hidden-text">Loading</span>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={22} />
      ))}
    </div>
  );
}
