// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Options that all charts share. Text and lines take the page's colors, so that a chart fits light and dark pages. */

import { COLORS, seriesColor } from "@/charts/palette";
import { number } from "@/format/quantity";

export interface Ink {
  ink: string;
  soft: string;
  line: string;
  ground: string;
  panel: string;
  dark: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: ECharts' option is a union of hundreds of types; what is built here is checked by drawing it
export type ChartOption = Record<string, any>;

export function pageInk(): Ink {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string, fallback: string) => style.getPropertyValue(name).trim() || fallback;
  return {
    ink: read("--ink", "#1c1e21"),
    soft: read("--soft", "#555c68"),
    line: read("--line", "#d8dbe0"),
    ground: read("--ground", "#ffffff"),
    panel: read("--panel", "#f4f6f8"),
    dark: document.documentElement.getAttribute("data-mantine-color-scheme") === "dark",
  };
}

/** The frame: margins, legend, tooltip drawn on the canvas (HTML tooltips need inline styles, which the security policy refuses). */
export function frame(ink: Ink, legend: boolean): ChartOption {
  return {
    animation: false,
    color: COLORS.map((_, i) => seriesColor(i, ink.dark)),
    textStyle: { color: ink.ink, fontFamily: "system-ui, sans-serif" },
    grid: { left: 62, right: 20, top: legend ? 44 : 18, bottom: 52, containLabel: false },
    legend: legend
      ? { type: "scroll", top: 4, left: 0, textStyle: { color: ink.ink }, pageTextStyle: { color: ink.soft }, itemWidth: 28 }
      : undefined,
    tooltip: {
      renderMode: "richText",
      confine: true,
      backgroundColor: ink.panel,
      borderColor: ink.line,
      textStyle: { color: ink.ink, fontSize: 12 },
    },
    aria: { enabled: false },
  };
}

export function axis(ink: Ink, name: string, more: ChartOption = {}): ChartOption {
  return {
    type: "value",
    name,
    nameLocation: "middle",
    nameTextStyle: { color: ink.soft, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: ink.soft } },
    axisLabel: {
      color: ink.soft,
      formatter: (value: number | string) => (typeof value === "number" ? number(value) : value),
      hideOverlap: true,
    },
    splitLine: { lineStyle: { color: ink.line, opacity: 0.6 } },
    ...more,
  };
}

export const xAxis = (ink: Ink, name: string, more: ChartOption = {}) => axis(ink, name, { nameGap: 28, ...more });
export const yAxis = (ink: Ink, name: string, more: ChartOption = {}) => axis(ink, name, { nameGap: 44, ...more });

/** "Treatment variation [Gb²/s²]". */
export const axisName = (title: string, unit: string) => (unit ? `${title} [${unit}]` : title);
