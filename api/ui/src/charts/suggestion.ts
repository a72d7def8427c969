// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** How a suggested profile does by the number of contributors, a line for each kind of devices, which ends where it stops to work. */

import type { DeviceOutlook, Suggestion } from "@/api/types";
import type { ChartTable } from "@/charts/chart";
import { line, seriesColor } from "@/charts/palette";
import { type ChartOption, frame, type Ink, xAxis, yAxis } from "@/charts/shared_options";
import { percent } from "@/format/quantity";

type Mark = { value: [number, number]; symbolSize: number };

/** Lines that are equal in all points are one line with all their names: one would cover the other. */
export function distinctLines(devices: DeviceOutlook[]): { name: string; line: DeviceOutlook["line"] }[] {
  const found = Map.groupBy(
    devices.filter(({ line }) => line.length > 0),
    ({ line }) => JSON.stringify(line),
  );
  return [...found.values()].map((same) => ({ name: same.map(({ device }) => device).join(", "), line: same[0]?.line ?? [] }));
}

export function suggestionChart({ devices, contributors }: Suggestion, ink: Ink): ChartOption {
  const expected = [...new Set([contributors.least, contributors.most])];
  const lines = distinctLines(devices);
  return {
    ...frame(ink, true),
    legend: { ...frame(ink, true).legend, type: "plain" },
    grid: { left: 62, right: 20, top: 24 + 22 * Math.ceil(lines.length / 2), bottom: 52, containLabel: false },
    xAxis: xAxis(ink, "Contributors to one receiver", { type: "log", logBase: 2, min: 2, max: "dataMax" }),
    yAxis: yAxis(ink, "Contributors keep [%]", { min: 0, max: 100 }),
    tooltip: {
      ...frame(ink, false).tooltip,
      trigger: "item",
      formatter: ({ seriesName, data }: { seriesName: string; data: Mark }) =>
        `${seriesName}\n${data.value[0]} contributors keep ${percent(data.value[1] / 100, 1)} or more`,
    },
    series: lines.map((one, i) => ({
      name: one.name,
      type: "line",
      symbol: "circle",
      lineStyle: { color: seriesColor(i, ink.dark), type: line(i), width: 2 },
      itemStyle: { color: seriesColor(i, ink.dark) },
      data: one.line.map(
        ({ contributors: n, kept }, at): Mark => ({ value: [n, kept * 100], symbolSize: at === one.line.length - 1 ? 9 : 3 }),
      ),
      markLine:
        i > 0
          ? undefined
          : {
              symbol: "none",
              silent: true,
              animation: false,
              lineStyle: { color: ink.soft, type: "dashed", width: 1 },
              label: { show: false },
              data: expected.map((n) => ({ xAxis: n })),
            },
    })),
  };
}

export function suggestionTable({ devices }: Suggestion): ChartTable {
  const rows = devices.flatMap(({ device, line }) =>
    line.map(({ contributors, kept }): [string, number, number] => [device, contributors, Number((kept * 100).toPrecision(4))]),
  );
  return { columns: ["device", "contributors", "kept_percent"], rows };
}
