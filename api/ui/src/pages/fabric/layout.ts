// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Converts the service's layout, x and y in any unit, into the drawing's units. */

import type { Topology, TopologyNode } from "@/api/types";

export interface Placed {
  node: TopologyNode;
  level: number | null;
  x: number;
  y: number;
  radius: number;
  label: boolean;
}

export interface Drawing {
  width: number;
  height: number;
  nodes: Placed[];
  at: Map<string, Placed>;
  levels: { level: number | null; kind: string; y: number; count: number }[];
}

const LEVEL_HEIGHT = 130;
const MARGIN = 56;

/** Room that a name takes, in the drawing's units, which are pixels as long as nobody zooms. */
const NAME_WIDTH = 46;

/** `width`: width of the page's column in pixels; `least`: the least height to fill. */
export function lay(topology: Topology, width: number, least: number): Drawing {
  const rowHeight = Math.max(
    LEVEL_HEIGHT,
    Math.min(2 * LEVEL_HEIGHT, (least - 2 * MARGIN) / Math.max(1, topology.levels.length - 1)),
  );
  // The roots of the tree are on top: high levels first, nodes without a level last.
  const levels = [...topology.levels].sort((a, b) => (b.level ?? -1) - (a.level ?? -1));
  const all = levels.flatMap(({ nodes }) => nodes);
  const [left, right] = [Math.min(...all.map(({ x }) => x)), Math.max(...all.map(({ x }) => x))];
  const scale = right > left ? (width - 2 * MARGIN) / (right - left) : 0;
  const placed: Placed[] = [];
  const rows = levels.map(({ level, kind, nodes }, row) => {
    const y = MARGIN + row * rowHeight;
    const room = nodes.length > 1 ? (width - 2 * MARGIN) / (nodes.length - 1) : width;
    // The service may stagger nodes of a level; that is kept, within the level's own strip.
    const middle = mean(nodes.map((node) => node.y));
    const spread = Math.max(...nodes.map((node) => Math.abs(node.y - middle)), 0);
    for (const node of nodes) {
      placed.push({
        node,
        level,
        x: scale > 0 ? MARGIN + (node.x - left) * scale : width / 2,
        y: y + (spread > 0 ? ((node.y - middle) / spread) * rowHeight * 0.25 : 0),
        radius: Math.max(3, Math.min(node.kind === "host" ? 11 : 16, room * 0.42)),
        label: room >= NAME_WIDTH,
      });
    }
    return { level, kind, y, count: nodes.reduce((sum, node) => sum + node.count, 0) };
  });
  return {
    width,
    height: 2 * MARGIN + Math.max(0, levels.length - 1) * rowHeight,
    nodes: placed,
    at: new Map(placed.map((one) => [one.node.id, one])),
    levels: rows,
  };
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

function mean(values: number[]): number {
  return values.length > 0 ? values.reduce((sum, value) => sum + value, 0) / values.length : 0;
}

/** `chosen`: an id or a GUID; groups of hosts have no GUID, and nothing chosen is none of them. */
export function isChosen(node: TopologyNode, chosen: string | null): boolean {
  return chosen !== null && (node.id === chosen || node.guid === chosen);
}
