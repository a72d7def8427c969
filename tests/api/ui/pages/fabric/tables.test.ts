// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { DeviceAttribute } from "@/api/types";
import { compareTables, entriesOf, flatten, ranges } from "@/pages/fabric/tables";

const entry = (multiplier: number) => ({ shift: 1, multiplier });
const cct = (block: number, from: number, limit: number): DeviceAttribute => ({
  port: 1,
  attribute: "CongestionControlTable",
  block,
  wanted: { ccti_limit: limit, entries: Array.from({ length: 64 }, (_, i) => entry(from + i)) },
  held: null,
});

describe("entriesOf", () => {
  it("puts the blocks together, and ends at the CCTI_Limit", () => {
    const entries = entriesOf([cct(1, 64, 99), cct(0, 0, 99)], "wanted");
    expect(entries).toHaveLength(100);
    expect(entries[99]).toEqual(entry(99));
  });
  it("reads them as the plugin has them", () => {
    const lists = (block: number) => ({
      CCTI_Limit: 70,
      CCT_Shift: Array.from({ length: 64 }, () => 1),
      CCT_Multiplier: Array.from({ length: 64 }, (_, i) => 64 * block + i),
    });
    const tables = [1, 0].map((block) => ({ ...cct(block, 0, 70), held: lists(block) }));
    const entries = entriesOf(tables, "held");
    expect(entries).toHaveLength(71);
    expect(entries[70]).toEqual(entry(70));
  });
  it("has none of what is not known", () => expect(entriesOf([cct(0, 0, 63)], "held")).toEqual([]));
});

describe("compareTables", () => {
  const sls = (third: number) => Array.from({ length: 4 }, (_, i) => ({ ccti_timer: i === 2 ? third : 150 }));
  const setting = (held: number | null): DeviceAttribute => ({
    port: 1,
    attribute: "CACongestionSetting",
    block: 0,
    wanted: { port_control: 0, sls: sls(150) },
    held: held === null ? null : { port_control: 0, sls: sls(held) },
  });
  it("puts elements together that hold the same", () =>
    expect(compareTables([setting(150)]).map(({ field }) => field)).toEqual(["port_control", "sls[0–3].ccti_timer"]));
  it("shows the one that differs on a line of its own", () => {
    const lines = compareTables([setting(7)]);
    expect(lines.map(({ field, differs }) => [field, differs])).toEqual([
      ["port_control", false],
      ["sls[0–1].ccti_timer", false],
      ["sls[2].ccti_timer", true],
      ["sls[3].ccti_timer", false],
    ]);
  });
  it("calls nothing different that is not known", () =>
    expect(compareTables([setting(null)]).some(({ differs }) => differs)).toBe(false));
});

it("sums long tables up", () =>
  expect(flatten({ entries: Array.from({ length: 64 }, (_, i) => entry(i)) })).toEqual([
    ["entries", "1:0, 1:1, 1:2 … 1:63 (64)"],
  ]));

describe("lines that say the same", () => {
  const block = (port: number, number: number, held: unknown): DeviceAttribute => ({
    port,
    attribute: "SwitchPortCongestionSetting",
    block: number,
    wanted: { threshold: 15 },
    held: { threshold: held },
  });
  it("are one, with their ports and blocks", () => {
    const lines = compareTables([block(1, 0, 15), block(2, 0, 15), block(3, 1, 15), block(4, 0, 7)]);
    expect(lines.map(({ where, differs }) => [where, differs])).toEqual([
      ["1–3; 0–1", false],
      ["4; 0", true],
    ]);
  });
});

it("tells masks as ports, and lists of one value by their number", () => {
  expect(flatten({ victim_mask: `0x${"0".repeat(47)}10000000000000006` })).toEqual([["victim_mask", "1–2, 64"]]);
  expect(flatten({ credit_mask: [3, 1, 2, 9], cs_return_delay: [0, 0, 0] })).toEqual([
    ["credit_mask", "1–3, 9"],
    ["cs_return_delay", "0 (3 times)"],
  ]);
  expect(flatten({ victim_mask: "0x0", ports: { 1: { marking: 2 } } })).toEqual([
    ["victim_mask", "none"],
    ["ports[1].marking", "2"],
  ]);
  expect(ranges([])).toBe("none");
});
