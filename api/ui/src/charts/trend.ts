// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A metric by night: its baseline, the values that a change for the worse must reach to be found, and the first changed night. */

import type { MetricTrend } from "@/api/types";
import { GREEN, seriesColor, VERMILLION } from "@/charts/palette";
import { type ChartOption, frame, type Ink, yAxis } from "@/charts/shared_options";
import { addDays, nightText } from "@/format/night";
import { number, quantity } from "@/format/quantity";

type Mark = [date: string, value: number | null];

/** Nights after which a bound is stated, with the dashes of its line. */
const BOUNDS: [nights: string, dashes: number[]][] = [
  ["1", [2, 4]],
  ["3", [5, 4]],
  ["7", [10, 4]],
];
/** A bound further away than this many times the height of all others is left out, as it would flatten them. */
const FAR = 2;
/** Height of a label, as a share of the chart's. */
const LABEL = 0.08;
/** Free room before the right edge, as a share of the time: marks and labels of bounds stay apart. */
const ROOM = 0.025;

/** "1" is written where there is no unit. */
export const unitText = (unit: string): string => (unit === "1" ? "" : unit);

/** Values, with a gap wherever a night has none. */
export function withGaps(values: MetricTrend["values"]): Mark[] {
  return values.flatMap(({ date, value }, i): Mark[] => {
    const before = values[i - 1];
    const isGap = before !== undefined && addDays(before.date, 1) < date;
    return [...(isGap ? [[addDays(before.date, 1), null] as Mark] : []), [date, value]];
  });
}

/** The lowest and the highest value that the chart shows, and the bounds between them. */
export function extent({ values, baseline }: Pick<MetricTrend, "values" | "baseline">): {
  low: number;
  high: number;
  bounds: [nights: string, value: number][];
} {
  const all = [...values.map(({ value }) => value), ...(baseline ? [baseline.middle] : [])];
  let [low, high] = [Math.min(...all), Math.max(...all)];
  const bounds: [string, number][] = [];
  // The bounds are drawn from the nearest to the furthest.
  for (const nights of ["7", "3", "1"]) {
    const value = baseline?.found[nights];
    if (value === null || value === undefined || !baseline) continue;
    const height = Math.max(high - low, Math.abs(value - baseline.middle) / 4);
    if (bounds.length > 0 && (value > high + FAR * height || value < low - FAR * height)) continue;
    bounds.push([nights, value]);
    [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  if (!Number.isFinite(low) || (low === 0 && high === 0)) return { low: 0, high: 1, bounds };
  const margin = 0.08 * (high - low || Math.abs(high) || 1);
  return { low: low >= 0 ? Math.max(0, low - margin) : low - margin, high: high + margin, bounds };
}

/** `baseline`: dates of the nights that were accepted. */
export function trendChart(trend: MetricTrend, baseline: ReadonlySet<string>, ink: Ink): ChartOption {
  const unit = unitText(trend.unit);
  const { low, high, bounds } = extent(trend);
  const marks = withGaps(trend.values);
  const isChanged = (date: string) => trend.changed && trend.since !== null && date >= trend.since;
  const points = (wanted: (date: string) => boolean): Mark[] => marks.filter(([date, value]) => value !== null && wanted(date));
  const blue = seriesColor(0, ink.dark);
  const lines = [
    ...bounds.map(([nights, yAxis], i) => ({
      yAxis,
      lineStyle: { color: ink.soft, type: BOUNDS.find(([known]) => known === nights)?.[1], width: 1 },
      label: { formatter: labelOf(bounds, i, LABEL * (high - low)), color: ink.soft, position: "end", fontSize: 11, distance: 3 },
    })),
    ...(trend.baseline
      ? [{ yAxis: trend.baseline.middle, lineStyle: { color: GREEN, type: "solid", width: 1.5 }, label: { show: false } }]
      : []),
    ...(trend.changed && trend.since
      ? [
          {
            xAxis: trend.since,
            lineStyle: { color: VERMILLION, type: "solid", width: 1.5 },
            label: { show: false },
          },
        ]
      : []),
  ];
  return {
    ...frame(ink, false),
    useUTC: true,
    grid: { left: 50, right: 22, top: 14, bottom: 26, containLabel: false },
    xAxis: {
      type: "time",
      max: ({ min, max }: { min: number; max: number }) => max + ROOM * (max - min),
      axisLine: { lineStyle: { color: ink.soft } },
      axisLabel: {
        color: ink.soft,
        hideOverlap: true,
        fontSize: 11,
        formatter: { day: "{d} {MMM}", month: "{d} {MMM}", year: "{MMM} {yyyy}" },
      },
      minInterval: 86_400_000,
      splitLine: { show: false },
    },
    yAxis: yAxis(ink, "", {
      min: low,
      max: high,
      splitNumber: 3,
      axisLabel: {
        color: ink.soft,
        fontSize: 11,
        hideOverlap: true,
        showMinLabel: false,
        showMaxLabel: false,
        formatter: (value: number) => number(Number(value.toPrecision(3))),
      },
    }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "axis",
      formatter: (shown: { data: Mark }[]) => {
        const [date = "", value = null] = shown[0]?.data ?? [];
        return [nightText(date), quantity(value, unit), baseline.has(date) ? "part of the baseline" : ""]
          .filter(Boolean)
          .join("\n");
      },
    },
    series: [
      {
        name: "Values",
        type: "line",
        showSymbol: false,
        connectNulls: false,
        lineStyle: { color: blue, width: 1.5 },
        itemStyle: { color: blue },
        data: marks,
        markLine: { symbol: "none", silent: true, animation: false, data: lines },
      },
      { ...dots("Other nights", "circle", 5, blue), data: points((date) => !baseline.has(date) && !isChanged(date)) },
      {
        ...dots("Baseline", "circle", 7, ink.ground),
        itemStyle: { color: ink.ground, borderColor: GREEN, borderWidth: 2 },
        data: points((date) => baseline.has(date)),
      },
      { ...dots("Changed", "diamond", 9, VERMILLION), data: points((date) => !baseline.has(date) && isChanged(date)) },
    ],
  };
}

/** The nights of a bound; bounds whose labels would cover each other have one for both, at the first of them. */
function labelOf(bounds: [nights: string, value: number][], i: number, height: number): string {
  const near = (j: number) => Math.abs((bounds[j]?.[1] ?? Number.POSITIVE_INFINITY) - (bounds[i]?.[1] ?? 0)) < height;
  if (i > 0 && near(i - 1)) return "";
  return bounds.flatMap(([nights], j) => (j >= i && near(j) ? [nights] : [])).join(", ");
}

function dots(name: string, symbol: string, symbolSize: number, color: string): ChartOption {
  return { name, type: "scatter", symbol, symbolSize, itemStyle: { color }, silent: true };
}
