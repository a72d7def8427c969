// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { Front } from "@/api/types";
import { bestSoFar, bestSoFarChart } from "@/charts/best_so_far";
import { parallelChart, parametersOf } from "@/charts/parallel";
import type { Ink } from "@/charts/shared_options";
import { sliceChart } from "@/charts/slice";

const INK: Ink = { ink: "#000", soft: "#555", line: "#ddd", ground: "#fff", panel: "#eee", dark: false };
const THROUGHPUT = { name: "v", title: "victim throughput", unit: "Gb/s", direction: "maximize" } as const;
const FRONT: Front = {
  objectives: [THROUGHPUT],
  points: [
    { number: 0, values: { v: 20 }, on_front: false, feasible: false, params: { timer: 3, curve: "linear" } },
    { number: 2, values: { v: 5 }, on_front: false, feasible: true, params: { timer: 9, curve: "power", exponent: 2 } },
    { number: 1, values: { v: 7 }, on_front: false, feasible: true, params: { timer: 5, curve: "linear" } },
    { number: 3, values: {}, on_front: false, feasible: true, params: { timer: 5, curve: "linear" } },
    { number: 4, values: { v: 9 }, on_front: true, feasible: true, params: { timer: 6, curve: "power", exponent: 1 } },
  ],
  reference: { baseline: { v: 2 } },
};

it("counts only feasible trials as the best so far, in their order, and keeps the best", () => {
  expect(bestSoFar(FRONT, THROUGHPUT)).toEqual([
    [1, 7],
    [2, 7],
    [3, 7],
    [4, 9],
  ]);
  expect(bestSoFar(FRONT, { ...THROUGHPUT, direction: "minimize" }).at(-1)).toEqual([4, 5]);
  expect(bestSoFar({ points: [] }, THROUGHPUT)).toEqual([]);
  const names = bestSoFarChart(FRONT, THROUGHPUT, INK).series.map(({ name }: { name: string }) => name);
  expect(names).toEqual(["Infeasible", "Feasible", "Best so far", "CC off"]);
});

it("draws a line for each trial, also through parameters that it does not have", () => {
  expect(parametersOf(FRONT)).toEqual(["timer", "curve", "exponent"]);
  const { parallelAxis, series } = parallelChart(FRONT, INK);
  expect(parallelAxis.map(({ type }: { type: string }) => type)).toEqual(["value", "category", "value", "value"]);
  expect(parallelAxis[3].name).toBe("Victim throughput [Gb/s]");
  const front = series.find(({ name }: { name: string }) => name === "Front");
  expect(front.data).toEqual([{ name: "Trial 4", trial: 4, value: [6, "power", 1, 9] }]);
});

it("slices by words and by numbers", () => {
  expect(sliceChart(FRONT, "curve", THROUGHPUT, INK).xAxis.type).toBe("category");
  const numbers = sliceChart(FRONT, "exponent", THROUGHPUT, INK);
  expect(numbers.xAxis.type).toBe("value");
  expect(numbers.series.map(({ data }: { data: unknown[] }) => data.length)).toEqual([0, 1, 1]);
});
