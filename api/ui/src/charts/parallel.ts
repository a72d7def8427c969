// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Parallel coordinates: a line for each trial through its parameters and objectives. */

import type { Front } from "@/api/types";
import { ORANGE, seriesColor } from "@/charts/palette";
import { axisName, type ChartOption, frame, type Ink } from "@/charts/shared_options";
import { number, titleOf } from "@/format/quantity";

type Value = number | string;

/** A value as an axis shows it; true and false are categories. */
const shown = (value: unknown): Value | null =>
  typeof value === "number" || typeof value === "string" ? value : value === null || value === undefined ? null : String(value);

/** The parameters of the space that some trial has, in the order in which they first appear. */
export function parametersOf({ points }: Pick<Front, "points">): string[] {
  return [...new Set(points.flatMap(({ params }) => Object.keys(params ?? {})))];
}

/** `narrow`: axes lie above each other, since names beside each other would overlap. */
export function parallelChart(front: Front, ink: Ink, narrow = false): ChartOption {
  const parameters = parametersOf(front);
  const columns = [
    ...parameters.map((name) => ({ name, read: (point: Front["points"][number]) => shown(point.params?.[name]) })),
    ...front.objectives.map(({ name, title, unit }) => ({
      name: axisName(titleOf(title), unit),
      read: (point: Front["points"][number]) => shown(point.values[name]),
    })),
  ];
  const lines = (wanted: (point: Front["points"][number]) => boolean) =>
    front.points.filter(wanted).map((point) => ({
      name: `Trial ${point.number}`,
      trial: point.number,
      value: columns.map(({ read }) => read(point) ?? "–"),
    }));
  const layer = (name: string, data: unknown[], color: string, width: number, opacity: number, dashed = false): ChartOption => ({
    name,
    type: "parallel",
    lineStyle: { color, width, opacity, type: dashed ? "dashed" : "solid" },
    emphasis: { lineStyle: { width: 3, opacity: 1 } },
    data,
  });
  return {
    ...frame(ink, true),
    parallel: narrow
      ? { layout: "vertical", left: 16, right: 16, top: 56, bottom: 44, axisExpandable: false }
      : { left: 64, right: 104, top: 84, bottom: 24, axisExpandable: false },
    parallelAxis: columns.map(({ name, read }, dim) => {
      const values = front.points.map(read).filter((value) => value !== null);
      const words = values.some((value) => typeof value === "string");
      const last = dim >= parameters.length;
      return {
        dim,
        name,
        // Long names of parameters take turns in height, so that neighbours do not cover each other.
        nameGap: narrow ? 20 : dim % 2 === 0 ? 12 : 28,
        nameLocation: narrow ? "middle" : "end",
        nameTruncate: { maxWidth: 220 },
        nameTextStyle: { color: last ? ink.ink : ink.soft, fontWeight: last ? "bold" : "normal", fontSize: 11 },
        type: words ? "category" : "value",
        data: words ? [...new Set(values.map(String)), "–"] : undefined,
        scale: true,
        axisLine: { lineStyle: { color: ink.soft } },
        axisLabel: { color: ink.soft, formatter: (value: Value) => (typeof value === "number" ? number(value) : value) },
      };
    }),
    tooltip: { ...frame(ink, false).tooltip, trigger: "item", formatter: ({ name }: { name: string }) => name },
    series: [
      layer(
        "Infeasible",
        lines(({ feasible }) => !feasible),
        ink.soft,
        1,
        0.25,
        true,
      ),
      layer(
        "Feasible",
        lines(({ feasible, on_front }) => feasible && !on_front),
        seriesColor(0, ink.dark),
        1,
        0.35,
      ),
      layer(
        "Front",
        lines(({ on_front }) => on_front),
        ORANGE,
        2.5,
        1,
      ),
    ],
  };
}
