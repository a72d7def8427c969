// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Trials by two objectives: feasible ones, those on the front, and the reference profiles. */

import type { Front, Objective } from "@/api/types";
import { GREEN, ORANGE, seriesColor, VERMILLION } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { quantity, titleOf } from "@/format/quantity";

type Mark = { value: [number, number]; trial?: number; name: string };

/** A point that lacks a value has no mark: the objective had no meaning in that run. */
function marks(front: Front, x: Objective, y: Objective, wanted: (point: Front["points"][number]) => boolean): Mark[] {
  return front.points.filter(wanted).flatMap((point) => {
    const [a, b] = [point.values[x.name], point.values[y.name]];
    return a === undefined || b === undefined || a === null || b === null
      ? []
      : [{ value: [a, b] as [number, number], trial: point.number, name: `Trial ${point.number}` }];
  });
}

/** Labels of the reference profiles, by the service's names. */
const REFERENCES: Record<string, string> = { baseline: "CC off", expert: "Published" };

export function frontChart(front: Front, x: Objective, y: Objective, ink: Ink): ChartOption {
  const title = (objective: Objective) => axisName(titleOf(objective.title), objective.unit);
  const best = marks(front, x, y, (point) => point.on_front).sort((a, b) => a.value[0] - b.value[0]);
  const known = Object.entries(front.reference ?? {}).flatMap(([name, values]): Mark[] => {
    const [a, b] = [values[x.name], values[y.name]];
    return a === undefined || b === undefined ? [] : [{ value: [a, b], name: REFERENCES[name] ?? name }];
  });
  const shapes = ["diamond", "triangle", "rect"];
  const tints = [VERMILLION, ORANGE, GREEN];
  return {
    ...frame(ink, true),
    xAxis: xAxis(ink, title(x), { scale: true }),
    yAxis: yAxis(ink, title(y), { scale: true }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "item",
      formatter: ({ data }: { data: Mark }) =>
        [
          data.name,
          `${titleOf(x.title)}: ${quantity(data.value[0], x.unit)}`,
          `${titleOf(y.title)}: ${quantity(data.value[1], y.unit)}`,
        ].join("\n"),
    },
    series: [
      scatter(
        "Infeasible",
        marks(front, x, y, (point) => !point.feasible),
        CROSS,
        ink.soft,
        8,
      ),
      scatter(
        "Feasible",
        marks(front, x, y, (point) => point.feasible && !point.on_front),
        RING,
        ink.soft,
        9,
      ),
      {
        name: "Front",
        type: "line",
        step: "end",
        symbol: "circle",
        symbolSize: 10,
        lineStyle: { color: seriesColor(0, ink.dark), width: 1.5 },
        itemStyle: { color: seriesColor(0, ink.dark) },
        data: best,
      },
      ...known.map((mark, i) => scatter(mark.name, [mark], shapes[i % 3] ?? "rect", tints[i % 3] ?? ink.ink, 13)),
    ],
  };
}

/** A ring. ECharts' own has a white middle, even on dark pages. */
const RING = "path://M0,-5A5,5,0,1,0,0,5A5,5,0,1,0,0,-5ZM0,-3.4A3.4,3.4,0,1,1,0,3.4A3.4,3.4,0,1,1,0,-3.4Z";

/** Crossed lines. */
const CROSS = "path://M-4,-3L-3,-4L0,-1L3,-4L4,-3L1,0L4,3L3,4L0,1L-3,4L-4,3L-1,0Z";

function scatter(name: string, data: Mark[], symbol: string, color: string, symbolSize: number): ChartOption {
  return { name, type: "scatter", symbol, symbolSize, itemStyle: { color }, data };
}
