// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { MetricTrend } from "@/api/types";
import type { Ink } from "@/charts/shared_options";
import { extent, trendChart, withGaps } from "@/charts/trend";

const INK: Ink = { ink: "#000", soft: "#555", line: "#ddd", ground: "#fff", panel: "#eee", dark: false };

const TREND: MetricTrend = {
  name: "fairness.victim_throughput",
  entry: "fairness",
  metric: "victim_throughput",
  unit: "Gb/s",
  better: "more",
  least_effect: 0.05,
  relative: true,
  values: [
    { date: "2026-03-01", value: 13 },
    { date: "2026-03-02", value: 12.9 },
    { date: "2026-03-05", value: 11 },
  ],
  baseline: { middle: 13, found: { "1": 10, "3": 11.5, "7": 12 } },
  changed: true,
  since: "2026-03-05",
  evidence: 7,
};

describe("a trend", () => {
  const option = trendChart(TREND, new Set(["2026-03-01"]), INK);
  const dates = (name: string) =>
    option.series.find((one: { name: string }) => one.name === name).data.map(([date]: [string]) => date);
  it("has a gap where nights were missed", () =>
    expect(withGaps(TREND.values).filter(([, value]) => value === null)).toEqual([["2026-03-03", null]]));
  it("tells nights of the baseline and changed ones apart by their marks", () => {
    expect([dates("Baseline"), dates("Other nights"), dates("Changed")]).toEqual([
      ["2026-03-01"],
      ["2026-03-02"],
      ["2026-03-05"],
    ]);
    const symbols = option.series.map((one: { symbol?: string; symbolSize?: number }) => `${one.symbol} ${one.symbolSize}`);
    expect(new Set(symbols).size).toBe(symbols.length);
  });
  it("draws the bounds, the middle and the first changed night", () =>
    expect(option.series[0].markLine.data.map((one: { yAxis?: number; xAxis?: string }) => one.yAxis ?? one.xAxis)).toEqual([
      12,
      11.5,
      10,
      13,
      "2026-03-05",
    ]));
});

describe("the height of a chart", () => {
  const shown = (found: Record<string, number | null>, values = TREND.values) =>
    extent({ values, baseline: { middle: 13, found } });
  it("leaves out a bound that would flatten all else", () => {
    expect(shown({ "1": 1e6, "3": 16, "7": 14 }).bounds.map(([nights]) => nights)).toEqual(["7", "3"]);
    expect(shown({ "1": null, "3": null, "7": null }).bounds).toEqual([]);
  });
  it("has room for a metric that never varies, and for none", () => {
    const zero = extent({ values: [{ date: "2026-03-01", value: 0 }], baseline: null });
    expect([zero.low, zero.high]).toEqual([0, 1]);
    expect(extent({ values: [], baseline: null })).toEqual({ low: 0, high: 1, bounds: [] });
  });
});
