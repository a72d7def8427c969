// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The way of a link in the drawing: straight, or an arc where a straight line would run through other nodes of the same level and
 * hide their links. */

import type { Drawing, Placed } from "@/pages/fabric/layout";

/** Height of the highest arc: less than the margin above the first level. */
const HIGHEST = 40;

/** An SVG path with a vertex in its middle, where an arrow can stand. */
export function wayOf(from: Placed, to: Placed, drawing: Drawing): string {
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  if (!passesNodes(from, to, drawing)) return `M${from.x},${from.y}L${x},${y}L${to.x},${to.y}`;
  const height = Math.min(HIGHEST, 12 + 0.04 * Math.abs(to.x - from.x));
  // Halves of the quadratic curve whose control point is twice as high as its middle.
  const half = (end: Placed) => `${(end.x + x) / 2},${y - height}`;
  return `M${from.x},${from.y}Q${half(from)} ${x},${y - height}Q${half(to)} ${to.x},${to.y}`;
}

function passesNodes(from: Placed, to: Placed, drawing: Drawing): boolean {
  if (from.y !== to.y) return false;
  const [left, right] = [Math.min(from.x, to.x), Math.max(from.x, to.x)];
  return drawing.levels.some((row) => row.y === from.y && row.nodes.some(({ x }) => x > left && x < right));
}
