// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Converts the service's layout, x and y in any unit, into the drawing's units. */

import type { Picture, TopologyNode } from "@/api/types";

export interface Placed {
  node: TopologyNode;
  level: number | null;
  x: number;
  y: number;
  /** Least distance between two nodes of the level, in the drawing's units. */
  room: number;
}

export interface Row {
  level: number | null;
  kind: string;
  y: number;
  count: number;
  nodes: Placed[];
}

export interface Drawing {
  width: number;
  height: number;
  /** Distance between levels. */
  rowHeight: number;
  nodes: Placed[];
  at: Map<string, Placed>;
  levels: Row[];
}

const LEVEL_HEIGHT = 130;
const MARGIN = 56;

/** `width`: width of the page's column in pixels; `least`: the least height to fill. */
export function lay(topology: Pick<Picture, "levels">, width: number, least: number): Drawing {
  const rowHeight = Math.max(
    LEVEL_HEIGHT,
    Math.min(2 * LEVEL_HEIGHT, (least - 2 * MARGIN) / Math.max(1, topology.levels.length - 1)),
  );
  // The roots of the tree are on top: high levels first, nodes without a level last.
  const levels = [...topology.levels].sort((a, b) => (b.level ?? -1) - (a.level ?? -1));
  const all = levels.flatMap(({ nodes }) => nodes);
  const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
  const scale = right > left ? (width - 2 * MARGIN) / (right - left) : 0;
  const rows = levels.map(({ level, kind, nodes }, row): Row => {
    const y = MARGIN + row * rowHeight;
    const at = nodes.map(({ x }) => (scale > 0 ? MARGIN + (x - left) * scale : width / 2));
    const room = Math.min(width, ...at.slice(1).map((x, i) => x - (at[i] ?? 0)));
    return {
      level,
      kind,
      y,
      count: nodes.reduce((sum, node) => sum + node.count, 0),
      nodes: nodes.map((node, i) => ({ node, level, x: at[i] ?? 0, y, room })),
    };
  });
  const placed = rows.flatMap(({ nodes }) => nodes);
  return {
    width,
    height: 2 * MARGIN + Math.max(0, levels.length - 1) * rowHeight,
    rowHeight,
    nodes: placed,
    at: new Map(placed.map((one) => [one.node.id, one])),
    levels: rows,
  };
}

/** Radius of a node in pixels, for the pixels from one node of a level to the next. A group's second box is an eighth wider. */
export function radiusOf(kind: TopologyNode["kind"], room: number): number {
  return Math.min(kind === "host" ? 11 : 16, room * 0.42);
}

/** The node nearest to the place of one that may be gone, in the same level. */
export function nearest(drawing: Drawing, to: Placed): Placed | null {
  return nearestOf(
    drawing.nodes.filter((one) => one.level === to.level),
    to,
  );
}

function nearestOf(nodes: Placed[], to: Placed): Placed | null {
  return nodes.reduce<Placed | null>(
    (best, one) => (best && Math.abs(best.x - to.x) <= Math.abs(one.x - to.x) ? best : one),
    null,
  );
}

/** The node that an arrow key leads to: the next in its level, or the nearest one a level up or down. */
export function neighbour(drawing: Drawing, from: Placed, key: string): Placed | null {
  const level = drawing.nodes.filter((one) => one.level === from.level && one !== from);
  switch (key) {
    case "ArrowLeft":
      return nearestOf(
        level.filter((one) => one.x < from.x),
        from,
      );
    case "ArrowRight":
      return nearestOf(
        level.filter((one) => one.x > from.x),
        from,
      );
    case "ArrowUp":
    case "ArrowDown": {
      const row = drawing.levels.findIndex(({ level: number }) => number === from.level) + (key === "ArrowUp" ? -1 : 1);
      const wanted = drawing.levels[row]?.level;
      return nearestOf(
        drawing.nodes.filter((one) => one.level === wanted),
        from,
      );
    }
    default:
      return null;
  }
}

/** `chosen`: an id or a GUID; groups of hosts have no GUID, and nothing chosen is none of them. */
export function isChosen(node: TopologyNode, chosen: string | null): boolean {
  return chosen !== null && (node.id === chosen || node.guid === chosen);
}
