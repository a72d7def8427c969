// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The hypervolume after each trial. */

import type { Hypervolume } from "@/api/types";
import { seriesColor } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { quantity } from "@/format/quantity";

export function hypervolumeChart(hypervolume: Hypervolume, ink: Ink): ChartOption {
  return {
    ...frame(ink, false),
    xAxis: xAxis(ink, "Trial", { min: 0, max: "dataMax", minInterval: 1 }),
    yAxis: yAxis(ink, axisName("Hypervolume", hypervolume.unit), { min: 0 }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "axis",
      formatter: (marks: { data: [number, number] }[]) =>
        marks.map(({ data: [trial, volume] }) => `Trial ${trial}: hypervolume ${quantity(volume, hypervolume.unit)}`).join("\n"),
    },
    series: [
      {
        type: "line",
        step: "end",
        symbol: "none",
        lineStyle: { color: seriesColor(0, ink.dark), width: 2 },
        areaStyle: { color: seriesColor(0, ink.dark), opacity: 0.12 },
        data: hypervolume.points.map(({ trial, hypervolume: volume }) => [trial, volume]),
      },
    ],
  };
}
