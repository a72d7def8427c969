// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { Topology, TopologyNode } from "@/api/types";
import { isChosen, lay, nearest, neighbour, radiusOf } from "@/pages/fabric/layout";

const node = (id: string, x: number, y: number, kind: TopologyNode["kind"] = "host"): TopologyNode => ({
  id,
  guid: id,
  name: id,
  kind,
  count: 1,
  x,
  y,
  congestion: null,
  marks: [],
  marked: 0,
});

const TOPOLOGY: Pick<Topology, "levels"> = {
  levels: [
    { level: 0, kind: "hosts", nodes: [node("h1", 0, 360), node("h2", 800, 360), node("h3", 1600, 360)] },
    { level: 1, kind: "leaf", nodes: [node("s1", 400, 180, "switch"), node("s2", 1200, 180, "switch")] },
  ],
};

describe("lay", () => {
  const drawing = lay(TOPOLOGY, 900, 400);
  it("puts the roots above the hosts, and all of it within the width", () => {
    expect(drawing.levels.map(({ kind }) => kind)).toEqual(["leaf", "hosts"]);
    const [switchAt, host] = [drawing.at.get("s1"), drawing.at.get("h1")];
    expect(switchAt && host && switchAt.y < host.y).toBe(true);
    for (const { x } of drawing.nodes) expect(x > 0 && x < 900).toBe(true);
  });
  it("keeps the service's order and proportions", () => {
    const [a, b, c] = ["h1", "h2", "h3"].map((id) => drawing.at.get(id)?.x ?? 0);
    expect((b ?? 0) - (a ?? 0)).toBeCloseTo((c ?? 0) - (b ?? 0));
  });
  it("gives nodes the room that their level has", () => {
    const levels = [{ level: 0, kind: "hosts", nodes: Array.from({ length: 300 }, (_, i) => node(`h${i}`, i, 0)) }];
    const { nodes } = lay({ levels }, 900, 400);
    expect(nodes.every(({ room }) => room < 3)).toBe(true);
    expect(2 * radiusOf("host", nodes[0]?.room ?? 0)).toBeLessThan(nodes[0]?.room ?? 0);
    expect(radiusOf("switch", 200)).toBe(16);
  });
  it("gives no node more room than the nearest two of its level have", () => {
    const levels = [{ level: 0, kind: "hosts", nodes: [node("a", 0, 0), node("b", 700, 0), node("c", 1000, 0)] }];
    const [a, b, c] = lay({ levels }, 900, 400).nodes;
    expect(a?.room).toBeCloseTo((c?.x ?? 0) - (b?.x ?? 0));
  });
  it("stands a fabric without nodes", () => expect(lay({ levels: [] }, 900, 400).nodes).toEqual([]));
});

describe("neighbour", () => {
  const drawing = lay(TOPOLOGY, 900, 400);
  const from = (id: string, key: string) => {
    const placed = drawing.at.get(id);
    return placed ? neighbour(drawing, placed, key)?.node.id : null;
  };
  it("goes along a level, and between levels to the nearest", () => {
    expect(from("h1", "ArrowRight")).toBe("h2");
    expect(from("h3", "ArrowLeft")).toBe("h2");
    expect(from("h3", "ArrowUp")).toBe("s2");
    expect(from("s1", "ArrowDown")).toBe("h1");
  });
  it("ends at the edges, and heeds no other keys", () => {
    expect(from("h1", "ArrowLeft")).toBeUndefined();
    expect(from("s1", "ArrowUp")).toBeUndefined();
    expect(from("s1", "Tab")).toBeUndefined();
  });
});

describe("isChosen", () => {
  const group: TopologyNode = { ...node("group-1", 0, 0, "group"), guid: null };
  it("is by id or by GUID", () => {
    const host = { ...node("h1", 0, 0), guid: "0x0000000000000001" };
    expect(isChosen(host, "h1")).toBe(true);
    expect(isChosen(host, "0x0000000000000001")).toBe(true);
    expect(isChosen(host, "h2")).toBe(false);
  });
  it("takes a group, which has no GUID, for chosen only by its id", () => {
    expect(isChosen(group, null)).toBe(false);
    expect(isChosen(group, "group-1")).toBe(true);
  });
});

describe("nearest", () => {
  const drawing = lay(TOPOLOGY, 900, 400);
  it("is the part beside which a group was that is gone", () => {
    const gone = { node: node("group", 0, 0), level: 0, x: 880, y: 0, room: 5 };
    expect(nearest(drawing, gone)?.node.id).toBe("h3");
  });
  it("is none in a level that is gone too", () => {
    const gone = { node: node("group", 0, 0), level: 7, x: 0, y: 0, room: 5 };
    expect(nearest(drawing, gone)).toBe(null);
  });
});
