// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it, test } from "vitest";
import { Problem } from "@/api/problem";
import { type Lines, problemsOf, rangeOf } from "@/components/yaml_editor/problems";

describe("a refused request", () => {
  it("has problems at lines", () => {
    const errors = [
      { field: "line 3", detail: "x" },
      { field: "name", detail: "y" },
    ];
    expect(problemsOf(new Problem(422, { errors }))).toMatchObject([{ line: 3, column: null, detail: "x" }]);
    expect(problemsOf(new TypeError("down"))).toEqual([]);
  });
});

function linesOf(text: string): Lines {
  const all = text.split("\n");
  const starts = all.map((_, i) => all.slice(0, i).reduce((sum, one) => sum + one.length + 1, 0));
  return {
    lines: all.length,
    line: (n) => ({ from: starts[n - 1] ?? 0, to: (starts[n - 1] ?? 0) + (all[n - 1]?.length ?? 0), text: all[n - 1] ?? "" }),
  };
}

const marked = (text: string, line: number | null, column: number | null, end_line: number | null, end_column: number | null) =>
  text.slice(...rangeOf(linesOf(text), { line, column, end_line, end_column }));

test.each([
  ["a: 1\n  b: x\n", 2, 6, 2, 7, "x"],
  ["a: 1\n  b: x\n", 2, null, null, null, "b: x"],
  ["a: \u{1f600}, b", 1, 7, 1, 8, "b"],
  ["a: \u{1f600}, b", 1, 4, 1, 5, "\u{1f600}"],
  ["a: |\n  x\n  y\nb: 1", 1, 4, 4, 1, "|\n  x\n  y\n"],
  ["ab", 1, 3, 1, 3, "b"],
  ["ab", 1, 1, 1, 1, "a"],
  ["ab", null, null, null, null, "ab"],
  ["ab\ncd", 99, null, null, null, "cd"],
  ["ab\n\ncd", 2, 1, 2, 1, ""],
])("%j, line %s from %s to %s, %s is %j", (text, line, column, endLine, endColumn, part) =>
  expect(marked(text, line, column, endLine, endColumn)).toBe(part),
);
