// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { Suggestion } from "@/api/types";
import type { Ink } from "@/charts/shared_options";
import { suggestionChart, suggestionTable } from "@/charts/suggestion";

const INK: Ink = { ink: "#000", soft: "#555", line: "#ddd", ground: "#fff", panel: "#eee", dark: false };

const device = (name: string, ...kept: number[]) => ({
  device: name,
  line: kept.map((share, i) => ({ contributors: 2 + i, kept: share })),
});
const SUGGESTION = {
  contributors: { least: 2, most: 3, made_for: 3 },
  devices: [device("a", 0.9, 0.95), device("b", 0.9, 0.95), device("c", 0.8), device("d")],
} as unknown as Suggestion;

it("draws equal lines once, and none where the profile cures nothing", () => {
  const { series } = suggestionChart(SUGGESTION, INK);
  expect(series.map((one: { name: string }) => one.name)).toEqual(["a, b", "c"]);
  expect(series[0].data.map((mark: { value: number[] }) => mark.value)).toEqual([
    [2, 90],
    [3, 95],
  ]);
});

it("marks the expected range", () =>
  expect(suggestionChart(SUGGESTION, INK).series[0].markLine.data).toEqual([{ xAxis: 2 }, { xAxis: 3 }]));

it("has the numbers of all devices in its table", () => expect(suggestionTable(SUGGESTION).rows).toContainEqual(["b", 3, 95]));
