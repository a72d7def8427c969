// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { patched } from "@/api/queries/topology";
import type { CongestionSource, Topology, TopologyChanges, TopologyNode } from "@/api/types";

const SOURCE: CongestionSource = {
  source: "none",
  unread: "Nobody has.",
  choices: [],
  cc: null,
  profile: null,
  at: null,
  campaign: null,
  workload: null,
};
const node = (id: string): TopologyNode => ({
  id,
  guid: id,
  name: id,
  kind: "host",
  count: 1,
  x: 0,
  y: 0,
  congestion: null,
  marks: [],
  marked: 0,
});
const link = (a: string, b: string) => ({ a, b, count: 1, down: 0, rate_gbps: 100, congestion: null });
const KNOWN: Topology = {
  version: "1",
  levels: [
    { level: 0, kind: "hosts", nodes: [node("h1"), node("h2")] },
    { level: 1, kind: "leaf", nodes: [node("s1")] },
  ],
  links: [link("h1", "s1"), link("h2", "s1")],
  hosts: 2,
  switches: 1,
  undrawn: {},
  unplaced: [],
  unplaced_count: 0,
  congestion: SOURCE,
};
const NOTHING: TopologyChanges = {
  version: "2",
  whole: null,
  nodes: [],
  links: [],
  unplaced: [],
  unplaced_count: 0,
  congestion: SOURCE,
};

it("changes what differs, and leaves all else the same object", () => {
  const lost: TopologyNode = { ...node("h2"), marks: ["missing"], marked: 1 };
  const found = patched(KNOWN, { ...NOTHING, nodes: [lost], links: [{ ...link("h2", "s1"), congestion: 0.5 }] });
  expect(found.version).toBe("2");
  expect(found.levels[0]?.nodes[1]).toBe(lost);
  expect(found.levels[0]?.nodes[0]).toBe(KNOWN.levels[0]?.nodes[0]);
  expect(found.levels[1]).toBe(KNOWN.levels[1]);
  expect(found.links.map(({ congestion }) => congestion)).toEqual([null, 0.5]);
  expect(found.links[0]).toBe(KNOWN.links[0]);
});

it("is the same object if nothing differs", () => expect(patched(KNOWN, { ...NOTHING, version: "1" })).toBe(KNOWN));

it("is the whole answer where the service no longer knows the former one", () => {
  const whole = { ...KNOWN, version: "3", width: 1600, height: 360 };
  expect(patched(KNOWN, { ...NOTHING, version: "3", whole })).toBe(whole);
});
