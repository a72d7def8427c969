// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { Trial, TrialDetail } from "@/api/types";
import { chosenTrials, differing, rowsOf, totals } from "@/pages/campaigns/compared_rows";
import { ALL, passes } from "@/pages/campaigns/trial_filter";

it("reads up to four trials from the address, each once", () => {
  expect(chosenTrials("3,17,3")).toEqual([3, 17]);
  expect(chosenTrials("1,2,3,4,5")).toEqual([1, 2, 3, 4]);
  expect(chosenTrials("x,-1,1e3,,99999999999")).toEqual([]);
  expect(chosenTrials(null)).toEqual([]);
});

const trial = (number: number, params: Record<string, unknown>): TrialDetail =>
  ({ number, params, values: { v: number }, measurements: [] }) as unknown as TrialDetail;

it("puts parameters side by side and finds those that differ", () => {
  const rows = rowsOf([trial(1, { a: 1, b: true }), trial(2, { a: 1, b: false, c: "x" })], ({ params }) => params);
  expect(rows).toEqual([
    { name: "a", values: [1, 1] },
    { name: "b", values: [true, false] },
    { name: "c", values: [null, "x"] },
  ]);
  expect(differing(rows).map(({ name }) => name)).toEqual(["b", "c"]);
});

it("means the flows of a role", () => {
  const flow = (role: string, gbps: number) => ({
    name: "f",
    src: "",
    dst: "",
    role,
    mean_gbps: gbps,
    series: [{ t_s: 1, gbps }],
  });
  const one = { ...trial(1, {}), measurements: [{ flows: [flow("victim", 4), flow("contributor", 1), flow("contributor", 3)] }] };
  const found = totals(one as unknown as TrialDetail);
  expect(found.map(({ name, mean_gbps, series }) => [name, mean_gbps, series[0]?.gbps])).toEqual([
    ["Trial 1", 4, 4],
    ["Trial 1 contributor", 2, 2],
  ]);
  expect(totals(trial(2, {}))).toEqual([]);
});

it("filters by state and by the range of a value", () => {
  const one = { values: { v: 3 }, params: { timer: 7 } } as unknown as Trial;
  expect(passes(ALL, one, "complete")).toBe(true);
  expect(passes({ ...ALL, state: "infeasible" }, one, "complete")).toBe(false);
  expect(passes({ ...ALL, column: "timer", least: 8 }, one, "complete")).toBe(false);
  expect(passes({ ...ALL, column: "v", least: 3, most: 3 }, one, "complete")).toBe(true);
  expect(passes({ ...ALL, column: "absent", most: 3 }, one, "complete")).toBe(false);
});
