// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Where a document is wrong, as the service says it: its errors have the field "line 7". */

import { Problem } from "@/api/problem";

export interface LineError {
  line: number;
  detail: string;
}

export function atLines(error: unknown): LineError[] {
  const errors = error instanceof Problem ? (error.document.errors ?? []) : [];
  return errors.flatMap(({ field, detail }) => {
    const line = /^line (\d+)$/.exec(field)?.[1];
    return line === undefined ? [] : [{ line: Number(line), detail }];
  });
}

/** Where a line begins and ends in the text; the last line for one beyond it. */
export function lineRange(text: string, line: number): [from: number, to: number] {
  const lines = text.split("\n");
  const index = Math.min(Math.max(line, 1), lines.length) - 1;
  const from = lines.slice(0, index).reduce((sum, one) => sum + one.length + 1, 0);
  return [from, from + (lines[index]?.length ?? 0)];
}
