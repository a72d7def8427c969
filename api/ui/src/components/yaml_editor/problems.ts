// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Problems of a document, as the service reports them, and where they stand in the text. */

import { Problem } from "@/api/problem";
import type { DocumentProblem } from "@/api/types";

/** The problems in a refused request: its errors have the field "line 7". */
export function problemsOf(error: unknown): DocumentProblem[] {
  const errors = error instanceof Problem ? (error.document.errors ?? []) : [];
  return errors.flatMap(({ field, detail }) => {
    const line = /^line (\d+)$/.exec(field)?.[1];
    if (line === undefined) return [];
    return [{ path: "", line: Number(line), column: null, end_line: null, end_column: null, detail }];
  });
}

/** What CodeMirror's text has: lines from 1. */
export interface Lines {
  lines: number;
  line: (n: number) => { from: number; to: number; text: string };
}

/** The part of the text that a problem is about, as [from, to]. It holds something wherever its line does. */
export function rangeOf(
  document: Lines,
  problem: Pick<DocumentProblem, "line" | "column" | "end_line" | "end_column">,
): [number, number] {
  const first = document.line(within(problem.line ?? 1, document.lines));
  const indent = first.text.length - first.text.trimStart().length;
  const whole: [number, number] = [first.from + indent, Math.max(first.from + indent, first.from + first.text.trimEnd().length)];
  if (problem.line === null || problem.column === null) return whole;
  const last = document.line(within(problem.end_line ?? problem.line, document.lines));
  const from = first.from + units(first.text, problem.column - 1);
  const to = last.from + units(last.text, (problem.end_column ?? problem.column) - 1);
  if (from < to) return [from, to];
  // A point: the next letter, or the last one of the line.
  return from < first.to ? [from, from + 1] : from > first.from ? [from - 1, from] : whole;
}

const within = (line: number, lines: number) => Math.min(Math.max(line, 1), lines);

/** Characters, as the service counts them, in JavaScript's UTF-16 units. */
function units(line: string, characters: number): number {
  let at = 0;
  for (const character of line) {
    if (characters-- <= 0) break;
    at += character.length;
  }
  return at;
}
