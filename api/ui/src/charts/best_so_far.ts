// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The best value of an objective among the feasible trials so far, beside each trial's own. */

import type { Front, Objective } from "@/api/types";
import { GREEN, ORANGE, seriesColor, VERMILLION } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { quantity, titleOf } from "@/format/quantity";

/** [trial, best value so far], from the first feasible trial on. */
export function bestSoFar({ points }: Pick<Front, "points">, { name, direction }: Objective): [number, number][] {
  const better = (a: number, b: number) => (direction === "maximize" ? Math.max(a, b) : Math.min(a, b));
  const found: [number, number][] = [];
  for (const { number, values, feasible } of [...points].sort((a, b) => a.number - b.number)) {
    const value = values[name];
    const before = found.at(-1)?.[1];
    if (feasible && typeof value === "number") found.push([number, before === undefined ? value : better(before, value)]);
    else if (before !== undefined) found.push([number, before]);
  }
  return found;
}

const REFERENCES: [role: string, title: string, color: string][] = [
  ["baseline", "CC off", VERMILLION],
  ["expert", "Published", GREEN],
];

export function bestSoFarChart(front: Front, objective: Objective, ink: Ink): ChartOption {
  const own = front.points.flatMap(({ number, values, feasible }) => {
    const value = values[objective.name];
    return typeof value === "number" ? [{ name: `Trial ${number}`, trial: number, value: [number, value], feasible }] : [];
  });
  const last = Math.max(0, ...front.points.map(({ number }) => number));
  return {
    ...frame(ink, true),
    xAxis: xAxis(ink, "Trial", { min: 0, max: "dataMax", minInterval: 1 }),
    yAxis: yAxis(ink, axisName(titleOf(objective.title), objective.unit), { scale: true }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "item",
      formatter: ({ seriesName, value }: { seriesName: string; value: [number, number] }) =>
        `${seriesName === "Best so far" ? seriesName : `Trial ${value[0]}`}: ${quantity(value[1], objective.unit)}`,
    },
    series: [
      {
        name: "Infeasible",
        type: "scatter",
        symbol: "triangle",
        symbolSize: 6,
        itemStyle: { color: ink.soft },
        data: own.filter(({ feasible }) => !feasible),
      },
      {
        name: "Feasible",
        type: "scatter",
        symbolSize: 6,
        itemStyle: { color: seriesColor(0, ink.dark) },
        data: own.filter(({ feasible }) => feasible),
      },
      {
        name: "Best so far",
        type: "line",
        step: "end",
        symbol: "none",
        lineStyle: { color: ORANGE, width: 2.5 },
        itemStyle: { color: ORANGE },
        data: bestSoFar(front, objective),
      },
      ...REFERENCES.flatMap(([role, name, color]) => {
        const value = front.reference?.[role]?.[objective.name];
        return value === undefined
          ? []
          : [
              {
                name,
                type: "line",
                symbol: "none",
                lineStyle: { color, width: 1.5, type: role === "baseline" ? "dashed" : "dotted" },
                itemStyle: { color },
                data: [
                  [0, value],
                  [last, value],
                ],
              },
            ];
      }),
    ],
  };
}
