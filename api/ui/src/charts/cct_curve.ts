// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A congestion control table: the delay after each packet by index, as steps, since a CCTI is an integer. */

import type { CurvePoint } from "@/api/types";
import { line, seriesColor } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { field } from "@/format/quantity";

export interface NamedCurve {
  name: string;
  points: CurvePoint[];
}

/** Without a link rate, delays are in packet times instead of microseconds. */
export function delay(point: CurvePoint, inUs: boolean): number {
  return inUs && point.ird_us !== null ? point.ird_us : point.ird_packet_times;
}

export function hasUs(curves: NamedCurve[]): boolean {
  return curves.every(({ points }) => points.every(({ ird_us }) => ird_us !== null && ird_us !== undefined));
}

export function cctCurve(curves: NamedCurve[], ink: Ink): ChartOption {
  const inUs = hasUs(curves);
  const unit = inUs ? "µs" : "packet times";
  return {
    ...frame(ink, curves.length > 1),
    xAxis: xAxis(ink, "CCTI", { min: 0, max: "dataMax", minInterval: 1 }),
    yAxis: yAxis(ink, axisName("IRD", unit), { min: 0 }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "axis",
      formatter: (marks: { seriesName: string; data: [number, number, number, number] }[]) =>
        [
          `CCTI ${marks[0]?.data[0] ?? ""}`,
          ...marks.map(
            ({ seriesName, data: [, ird, shift, multiplier] }) =>
              `${seriesName}: ${field(inUs ? "ird_us" : "ird_packet_times", ird)}  (shift ${shift}, multiplier ${multiplier})`,
          ),
        ].join("\n"),
    },
    series: curves.map(({ name, points }, i) => ({
      name,
      type: "line",
      step: "end",
      symbol: "none",
      lineStyle: { type: line(i), width: 2, color: seriesColor(i, ink.dark) },
      itemStyle: { color: seriesColor(i, ink.dark) },
      data: points.map((point) => [point.ccti, delay(point, inUs), point.shift, point.multiplier]),
    })),
  };
}
