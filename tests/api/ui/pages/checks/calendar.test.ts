// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { monthsBetween, nightByKey } from "@/pages/checks/calendar";

describe("months", () => {
  it("begin with the newest, and have whole weeks from Monday", () => {
    const months = monthsBetween("2025-12-31", "2026-02-01");
    expect(months.map(({ month }) => month)).toEqual(["2026-02", "2026-01", "2025-12"]);
    const [february] = months;
    expect(february?.weeks.every((week) => week.length === 7)).toBe(true);
    expect(february?.weeks[0]).toEqual([null, null, null, null, null, null, "2026-02-01"]);
    expect(february?.weeks.flat().filter(Boolean)).toHaveLength(28);
    expect(february?.weeks).toHaveLength(5);
  });
  it("have no more weeks than they need", () => expect(monthsBetween("2027-02-01", "2027-02-01")[0]?.weeks).toHaveLength(4));
});

describe("keys", () => {
  const nights = ["2026-02-27", "2026-03-02", "2026-03-03", "2026-03-10", "2026-04-30"];
  it.each([
    ["ArrowRight", "2026-03-03", "2026-03-10"], // over nights that are not there
    ["ArrowLeft", "2026-03-02", "2026-02-27"],
    ["ArrowDown", "2026-03-03", "2026-03-10"],
    ["ArrowUp", "2026-03-10", "2026-03-03"],
    ["PageUp", "2026-04-30", "2026-03-10"],
    ["PageDown", "2026-03-10", "2026-04-30"],
    ["Home", "2026-03-10", "2026-02-27"],
    ["End", "2026-03-02", "2026-04-30"],
    ["ArrowLeft", "2026-02-27", null],
    ["ArrowDown", "2026-04-30", null],
    ["a", "2026-03-02", null],
  ])("%s leads from %s to %s", (key, from, to) => expect(nightByKey(key, from, nights)).toBe(to));
});
