// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { Front } from "@/api/types";
import { cctCurve } from "@/charts/cct_curve";
import { frontChart } from "@/charts/front";
import { byWeight } from "@/charts/importance";
import { heat, SKY, seriesColor } from "@/charts/palette";
import type { Ink } from "@/charts/shared_options";
import { throughputChart } from "@/charts/throughput";

const INK: Ink = { ink: "#000", soft: "#555", line: "#ddd", ground: "#fff", panel: "#eee", dark: false };

const FRONT: Front = {
  objectives: [
    { name: "victim_throughput", title: "victim throughput", unit: "Gb/s", direction: "maximize" },
    { name: "treatment_variation", title: "treatment variation", unit: "Gb²/s²", direction: "minimize" },
  ],
  points: [
    { number: 0, values: { victim_throughput: 13, treatment_variation: 0.02 }, on_front: true, feasible: true },
    { number: 1, values: { victim_throughput: 12, treatment_variation: 0.03 }, on_front: false, feasible: true },
    { number: 2, values: { victim_throughput: 2, treatment_variation: 0 }, on_front: false, feasible: false },
    { number: 3, values: { victim_throughput: 12.5, treatment_variation: 0.01 }, on_front: true, feasible: true },
    { number: 4, values: { victim_throughput: 12.5 }, on_front: false, feasible: true },
  ],
  reference: { baseline: { victim_throughput: 2.2, treatment_variation: 0 } },
};

describe("the front", () => {
  const [x, y] = FRONT.objectives;
  const option = x && y ? frontChart(FRONT, x, y, INK) : {};
  const trials = (name: string) =>
    option.series.find((series: { name: string }) => series.name === name)?.data.map((mark: { trial: number }) => mark.trial);
  it("tells feasible, infeasible and best apart, the best from left to right", () => {
    expect(trials("Front")).toEqual([3, 0]);
    expect(trials("Feasible")).toEqual([1]);
    expect(trials("Infeasible")).toEqual([2]);
  });
  it("shows what there was before, by its name", () => expect(trials("CC off")).toHaveLength(1));
  it("names the axes with their units", () => expect(option.xAxis.name).toBe("Victim throughput [Gb/s]"));
});

describe("a CCT", () => {
  const point = (ird_us: number | null) => ({ ccti: 1, ird_us, ird_packet_times: 1.5, shift: 1, multiplier: 3 });
  it("is drawn in microseconds where the link is known, and else in packet times", () => {
    const known = cctCurve([{ name: "a", points: [point(1.56)] }], INK);
    expect([known.yAxis.name, known.series[0].data[0][1]]).toEqual(["IRD [µs]", 1.56]);
    const unknown = cctCurve([{ name: "a", points: [point(null)] }], INK);
    expect([unknown.yAxis.name, unknown.series[0].data[0][1]]).toEqual(["IRD [packet times]", 1.5]);
  });
});

it("marks victims by words and width, not by colour alone", () => {
  const flow = { name: "v", src: "H1", dst: "H2", role: "victim", mean_gbps: 1, series: [{ t_s: 0.01, gbps: 1 }] };
  const [series] = throughputChart([flow], INK).series;
  expect(series.name).toBe("v (victim)");
  expect(series.lineStyle.width).toBeGreaterThan(2);
});

it("puts the weightiest parameter last, which is on top", () =>
  expect(
    byWeight({ caution: null, within_noise: [], evaluator: "", shares: { a: { x: 0.1, y: 0.5 }, b: { x: 0.2, y: 0.3 } } }),
  ).toEqual(["x", "y"]));

/** Relative luminance, by WCAG 2. */
const luminance = (color: string): number => {
  const [r = 0, g = 0, b = 0] = (color.match(/\d+/g) ?? []).map((one) => {
    const part = Number(one) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

it.each([false, true])("is quiet without congestion, and stands out more with each tenth of it (dark: %s)", (dark) => {
  const ground = dark ? luminance("rgb(20 22 26)") : 1;
  const steps = Array.from({ length: 11 }, (_, i) => contrast(luminance(heat(i / 10, dark)), ground));
  expect(steps[0]).toBeLessThan(2.5);
  expect(steps[10]).toBeGreaterThan(7);
  for (let i = 1; i < steps.length; i++) expect(steps[i]).toBeGreaterThan(steps[i - 1] ?? 0);
});

it("clamps shares, and swaps the blues on a dark ground", () => {
  expect(heat(7)).toBe(heat(1));
  expect(heat(-1)).toBe(heat(0));
  expect(seriesColor(0, true)).toBe(SKY);
});
