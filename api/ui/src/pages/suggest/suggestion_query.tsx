// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A suggestion as soon as it is there, or why there is none: a refusal is an answer, and the same request has it again. */

import type { ReactNode } from "react";
import { Problem, sentence } from "@/api/problem";
import type { Suggestion } from "@/api/types";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Words } from "@/components/words";
import { asSentence } from "@/pages/profiles/parameter_input";

interface Props {
  query: { data: Suggestion | undefined; error: unknown; refetch: () => unknown };
  /** Shown if there is no suggestion. */
  otherwise?: ReactNode;
  children: (suggestion: Suggestion) => ReactNode;
}

export function SuggestionQuery({ query, otherwise, children }: Props) {
  const { error } = query;
  if (error instanceof Problem && error.status < 500) {
    return (
      <Notice kind="warn" title="No profile can be suggested">
        <p>
          <Words of={whyNone(error)} />
        </p>
        {otherwise}
      </Notice>
    );
  }
  return (
    <QueryView query={query} rows={10}>
      {children}
    </QueryView>
  );
}

/** Without the name of the field, where only one is wrong. */
export function whyNone(error: Problem): string {
  const [first, ...others] = error.document.errors ?? [];
  return asSentence(first && others.length === 0 ? first.detail : sentence(error));
}
