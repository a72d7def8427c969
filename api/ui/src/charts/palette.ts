// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Okabe and Ito's colors, which color-blind people can tell apart; line styles and markers repeat the distinction. */

export const BLUE = "#0072b2";
export const VERMILLION = "#d55e00";
export const GREEN = "#009e73";
export const PURPLE = "#cc79a7";
export const ORANGE = "#e69f00";
export const SKY = "#56b4e9";

export const COLORS = [BLUE, VERMILLION, GREEN, PURPLE, ORANGE, SKY] as const;
export const LINES: (string | number[])[] = ["solid", [8, 3], [8, 3, 2, 3], [2, 3], [12, 4], [5, 2, 2, 2, 2, 2]];
export const MARKERS = ["circle", "rect", "triangle", "diamond", "pin", "arrow"] as const;

/** On a dark background the two blues change places: the dark one would be invisible. */
const ON_DARK = [SKY, VERMILLION, GREEN, PURPLE, ORANGE, BLUE];

export const seriesColor = (i: number, dark = false): string => (dark ? ON_DARK : COLORS)[i % COLORS.length] ?? BLUE;
export const line = (i: number): string | number[] => LINES[i % LINES.length] ?? "solid";
export const marker = (i: number): string => MARKERS[i % MARKERS.length] ?? "circle";

type Rgb = [number, number, number];

/** From none to full: what is congested stands out by lightness, which nearly all eyes see alike, and what is not is quiet. */
const ON_LIGHT: Rgb[] = [
  [206, 212, 218],
  [244, 190, 110],
  [226, 130, 30],
  [180, 70, 8],
  [100, 24, 6],
];
const ON_DARK_GROUND: Rgb[] = [
  [73, 80, 87],
  [122, 84, 44],
  [196, 112, 20],
  [242, 176, 60],
  [255, 240, 180],
];

/** The color of a share between 0 and 1, as `rgb(…)`; values out of range are clamped. */
export function heat(share: number, dark = false): string {
  const steps = dark ? ON_DARK_GROUND : ON_LIGHT;
  const at = Math.min(1, Math.max(0, share)) * (steps.length - 1);
  const low = steps[Math.floor(at)] ?? [0, 0, 0];
  const high = steps[Math.ceil(at)] ?? low;
  const mix = low.map((from, i) => Math.round(from + ((high[i] ?? from) - from) * (at - Math.floor(at))));
  return `rgb(${mix.join(" ")})`;
}
