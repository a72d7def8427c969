// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Bars that show how much each parameter decided whether a trial was among the best by an objective. */

import type { Importance } from "@/api/types";
import { seriesColor } from "@/charts/palette";
import { type ChartOption, frame, type Ink, xAxis } from "@/charts/shared_options";
import { percent, titleOf } from "@/format/quantity";

/** Parameters, the most important last, as bars are drawn from the bottom. */
export function byWeight(importance: Importance): string[] {
  const sums = new Map<string, number>();
  for (const shares of Object.values(importance.shares)) {
    for (const [parameter, share] of Object.entries(shares)) sums.set(parameter, (sums.get(parameter) ?? 0) + share);
  }
  return [...sums.keys()].sort((a, b) => (sums.get(a) ?? 0) - (sums.get(b) ?? 0));
}

export function importanceChart(importance: Importance, ink: Ink): ChartOption {
  const parameters = byWeight(importance);
  return {
    ...frame(ink, true),
    grid: { left: 12, right: 24, top: 44, bottom: 34, containLabel: true },
    xAxis: xAxis(ink, "Share of the importance [%]", {
      min: 0,
      axisLabel: { color: ink.soft, formatter: (share: number) => (share * 100).toFixed(0) },
    }),
    yAxis: {
      type: "category",
      data: parameters,
      axisLabel: { color: ink.ink },
      axisLine: { lineStyle: { color: ink.soft } },
      axisTick: { show: false },
    },
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "axis",
      axisPointer: { type: "shadow" },
      formatter: (bars: { seriesName: string; name: string; value: number }[]) =>
        [bars[0]?.name, ...bars.map(({ seriesName, value }) => `${seriesName}: ${percent(value, 1)}`)].join("\n"),
    },
    series: Object.entries(importance.shares).map(([objective, shares], i) => ({
      name: titleOf(objective),
      type: "bar",
      barMaxWidth: 18,
      itemStyle: { color: seriesColor(i, ink.dark) },
      data: parameters.map((parameter) => shares[parameter] ?? 0),
    })),
  };
}
