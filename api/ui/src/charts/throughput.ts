// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The throughput of each flow over time: the payload received in each interval. */

import type { FlowSeries } from "@/api/types";
import { line, seriesColor } from "@/charts/palette";
import { type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { quantity } from "@/format/quantity";

/** Number of flows that fit in a tooltip. */
const IN_TOOLTIP = 12;

export function throughputChart(flows: FlowSeries[], ink: Ink): ChartOption {
  return {
    ...frame(ink, true),
    xAxis: xAxis(ink, "Time [s]", { min: 0, max: "dataMax" }),
    yAxis: yAxis(ink, "Throughput [Gb/s]", { min: 0 }),
    dataZoom: [{ type: "inside", zoomOnMouseWheel: "shift", moveOnMouseMove: true, filterMode: "none" }],
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "axis",
      formatter: (marks: { seriesName: string; data: [number, number] }[]) =>
        [
          quantity(marks[0]?.data[0], "s"),
          ...marks.slice(0, IN_TOOLTIP).map(({ seriesName, data }) => `${seriesName}: ${quantity(data[1], "Gb/s")}`),
          ...(marks.length > IN_TOOLTIP ? [`and ${marks.length - IN_TOOLTIP} more`] : []),
        ].join("\n"),
    },
    series: flows.map(({ name, role, series }, i) => ({
      name: role === "victim" ? `${name} (victim)` : name,
      type: "line",
      symbol: "none",
      sampling: "lttb",
      lineStyle: { color: seriesColor(i, ink.dark), type: line(i), width: role === "victim" ? 3 : 1.5 },
      itemStyle: { color: seriesColor(i, ink.dark) },
      data: series.map(({ t_s, gbps }) => [t_s, gbps]),
    })),
  };
}
