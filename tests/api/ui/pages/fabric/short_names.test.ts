// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { TopologyNode } from "@/api/types";
import { forms, guidEnds, shortNames } from "@/pages/fabric/short_names";

const node = (name: string, guid: string | null, changes: Partial<TopologyNode> = {}): TopologyNode => ({
  id: guid ?? name,
  guid,
  name,
  kind: "switch",
  count: 1,
  x: 0,
  y: 0,
  congestion: null,
  marks: [],
  marked: 0,
  ...changes,
});

const SPINES = ["MF0;A10-P1-IBSPINE-04:MQM9701/U1", "MF0;B10-P1-IBSPINE-05:MQM9701/U1", "MF0;B10-P1-IBSPINE-09:MQM9701/U1"];

describe("forms", () => {
  it("leave out what all names begin and end with, and then all that does not tell them apart", () => {
    expect(forms(SPINES)[2]).toEqual([SPINES[2], "…B10-P1-IBSPINE-09", "…IBSPINE-09", "…09"]);
  });
  it("cut no word: H1 and H12 stay", () => expect(forms(["H1", "H12"])).toEqual([["H1"], ["H12"]]));
  it("stay as they are where nothing is shared", () => {
    expect(forms(["alpha", "beta"])).toEqual([["alpha"], ["beta"]]);
    expect(forms([])).toEqual([]);
  });
  it("tell the names of every step apart", () => {
    const names = Array.from({ length: 300 }, (_, i) => `rack${i % 17} node-${Math.floor(i / 17)} HCA-1`);
    const found = forms(names);
    const steps = Math.max(...found.map((one) => one.length));
    for (let step = 0; step < steps; step++) {
      expect(new Set(found.map((one) => one[Math.min(step, one.length - 1)])).size).toBe(300);
    }
  });
  it("cut between graphemes, however long the names are", () => {
    const long = "e\u0301".repeat(40);
    const [first] = forms([`${long}x`, `${long}y`]);
    for (const form of first ?? []) expect(form.replaceAll("e\u0301", "")).toMatch(/^…?x?…?x?$/);
    expect(first?.at(-1)).toMatch(/x$/);
    const family = "👩‍👩‍👧‍👦";
    expect(forms([`${family}-1`, `${family}-2`])[0]).toEqual([`${family}-1`, "…1"]);
    expect(forms(["x".repeat(65536), "y"])[0]?.every((form) => form.length < 200)).toBe(true);
  });
});

describe("shortNames", () => {
  it("tell equal names apart by the end of their GUIDs", () => {
    const nodes = ["0x0000000000007b40", "0x0000000000007bc0", "0x0000000000017b40"].map((guid) => node("Switch", guid));
    const found = shortNames(nodes);
    expect(nodes.map(({ id }) => found.get(id)?.at(-1))).toEqual(["·07b40", "·07bc0", "·17b40"]);
  });
  it("of a group are its ends, and its number at last", () => {
    const group = node("a", null, { ends: ["pod-1-h1", "pod-1-h9"], kind: "group", count: 9 });
    expect(shortNames([group]).get("a")).toEqual(["pod-1-h1 – pod-1-h9", "…h1 – …h9", "×9"]);
  });
});

it("GUIDs that are alone need no end", () => {
  expect(guidEnds(["0x0000000000000001"])).toEqual([""]);
  expect(guidEnds(["0x1000000000000001", "0x2000000000000001"])).toEqual(["1000000000000001", "2000000000000001"]);
});
