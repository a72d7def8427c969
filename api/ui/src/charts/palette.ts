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

/** Cividis, from none to full: of rising lightness, and the same to nearly all eyes. */
const CIVIDIS: [number, number, number][] = [
  [0, 34, 78],
  [18, 53, 112],
  [59, 73, 108],
  [87, 93, 109],
  [112, 113, 115],
  [138, 134, 120],
  [165, 156, 116],
  [195, 179, 105],
  [225, 204, 85],
  [254, 232, 56],
];

/** On a dark background the scale begins where it can be seen. */
const DARKEST_ON_DARK = 0.35;

/** The color of a share between 0 and 1, as `rgb(…)`; values out of range are clamped. */
export function heat(share: number, dark = false): string {
  const cut = Math.min(1, Math.max(0, share));
  const at = (dark ? DARKEST_ON_DARK + (1 - DARKEST_ON_DARK) * cut : cut) * (CIVIDIS.length - 1);
  const low = CIVIDIS[Math.floor(at)] ?? [0, 0, 0];
  const high = CIVIDIS[Math.ceil(at)] ?? low;
  const mix = low.map((from, i) => Math.round(from + ((high[i] ?? from) - from) * (at - Math.floor(at))));
  return `rgb(${mix.join(" ")})`;
}
