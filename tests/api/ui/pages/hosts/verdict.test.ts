// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { draftInventory } from "@/pages/hosts/draft";
import { countsText, milliseconds, offsetText, uncertaintyText, verdictText, verdictTone } from "@/pages/hosts/verdict";

describe("verdicts", () => {
  it("are told in words, those that are not there too", () => {
    expect([verdictText("ready"), verdictText("to_mend"), verdictText("unreachable"), verdictText(null)]).toEqual([
      "ready",
      "to repair",
      "unreachable",
      "not checked",
    ]);
    expect(verdictTone("unreachable")).toBe("bad");
    expect(verdictTone(null)).toBe("plain");
  });
});

describe("clocks", () => {
  it("have a sign and microseconds", () => {
    expect(offsetText(1_234_567)).toBe("+1.235");
    expect(offsetText(-45_600)).toBe("−0.046");
    expect(uncertaintyText(64_000)).toBe("±\u00a00.064");
  });
  it("of which nothing is known are a dash", () => {
    expect([offsetText(null), uncertaintyText(undefined)]).toEqual(["–", "–"]);
    expect(milliseconds(null)).toBeNull();
  });
});

it("counts what there is, and leaves out what there is none of", () => {
  const counts = { total: 7, ready: 5, to_mend: 1, unreachable: 1, unchecked: 0 };
  expect(countsText(counts)).toBe("7 hosts: 5 ready, 1 to repair, 1 unreachable");
  expect(countsText({ total: 1, ready: 0, to_mend: 0, unreachable: 0, unchecked: 1 })).toBe("1 host: 1 not checked");
});

it("begins an inventory that names its fabric", () => {
  const document = parse(draftInventory("cluster"));
  expect(document).toMatchObject({ ibcc_inventory: 1, name: "cluster", launcher: { kind: "ssh" } });
  expect(document).not.toHaveProperty("fabric");
});
