// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { TopologyNode } from "@/api/types";
import { type Drawing, lay, type Placed } from "@/pages/fabric/layout";
import { wayOf } from "@/pages/fabric/link_way";

function node(id: string, x: number, y: number): TopologyNode {
  return {
    id,
    x,
    y,
    guid: id,
    name: id,
    kind: "switch",
    count: 1,
    congestion: null,
    marks: [],
    marked: 0,
  } as unknown as TopologyNode;
}

const RING = lay(
  { levels: [{ level: 1, kind: "switch", nodes: ["a", "b", "c"].map((id, x) => node(id, x, 0)) }] } as never,
  900,
  400,
);
const TREE = lay(
  {
    levels: [
      { level: 0, kind: "switch", nodes: [node("a", 0, 0), node("b", 1, 0), node("c", 2, 0)] },
      { level: 1, kind: "switch", nodes: [node("r", 1, 1)] },
    ],
  } as never,
  900,
  400,
);

function way(drawing: Drawing, from: string, to: string): string {
  return wayOf(drawing.at.get(from) as Placed, drawing.at.get(to) as Placed, drawing);
}

it("is straight between neighbours and between levels, with a vertex in the middle", () => {
  expect(way(RING, "a", "b")).toMatch(/^M56,\d+L253,\d+L450,\d+$/);
  expect(way(TREE, "a", "r")).not.toContain("Q");
});

it("passes above the nodes that are between its ends", () => {
  const heights = [...way(RING, "c", "a").matchAll(/,(\d+(?:\.\d+)?)/g)].map(([, y]) => Number(y));
  expect(way(RING, "c", "a")).toMatch(/^M844,\d+Q/);
  expect(Math.min(...heights)).toBeLessThan(heights[0] ?? 0);
  expect(Math.min(...heights)).toBeGreaterThan(0);
  expect(heights.at(-1)).toBe(heights[0]);
});
