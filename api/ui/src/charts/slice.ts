// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Slice: an objective by one parameter, a mark for each trial. */

import type { Front, Objective } from "@/api/types";
import { ORANGE, seriesColor } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { number, quantity, titleOf, unitOf } from "@/format/quantity";

export function sliceChart(front: Front, parameter: string, objective: Objective, ink: Ink): ChartOption {
  const known = front.points.filter(
    ({ params, values }) => params?.[parameter] !== undefined && typeof values[objective.name] === "number",
  );
  const words = known.some(({ params }) => typeof params?.[parameter] !== "number");
  const at = (value: unknown) => (words ? String(value) : value);
  const marks = (wanted: (point: Front["points"][number]) => boolean) =>
    known.filter(wanted).map((point) => ({
      name: `Trial ${point.number}`,
      trial: point.number,
      value: [at(point.params?.[parameter]), point.values[objective.name]],
    }));
  const layer = (name: string, data: unknown[], symbol: string, color: string, symbolSize: number): ChartOption => ({
    name,
    type: "scatter",
    symbol,
    symbolSize,
    itemStyle: { color },
    data,
  });
  const unit = unitOf(parameter);
  return {
    ...frame(ink, true),
    xAxis: xAxis(ink, axisName(parameter, unit), words ? { type: "category" } : { scale: true }),
    yAxis: yAxis(ink, axisName(titleOf(objective.title), objective.unit), { scale: true }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "item",
      formatter: ({ data }: { data: { name: string; value: [number | string, number] } }) =>
        [
          data.name,
          `${parameter}: ${typeof data.value[0] === "number" ? number(data.value[0]) : data.value[0]}${unit && ` ${unit}`}`,
          `${titleOf(objective.title)}: ${quantity(data.value[1], objective.unit)}`,
        ].join("\n"),
    },
    series: [
      layer(
        "Infeasible",
        marks(({ feasible }) => !feasible),
        "triangle",
        ink.soft,
        7,
      ),
      layer(
        "Feasible",
        marks(({ feasible, on_front }) => feasible && !on_front),
        "circle",
        seriesColor(0, ink.dark),
        7,
      ),
      layer(
        "Front",
        marks(({ on_front }) => on_front),
        "diamond",
        ORANGE,
        12,
      ),
    ],
  };
}
