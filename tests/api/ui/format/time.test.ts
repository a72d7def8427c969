// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { duration, fromNow, secondsUntil } from "@/format/time";

describe("duration", () => {
  it.each([
    [0, "0 s"],
    [59.4, "59 s"],
    [60, "1 min"],
    [560, "9 min 20 s"],
    [3 * 3600 + 300, "3 h 5 min"],
    [2 * 86400 + 4 * 3600, "2 d 4 h"],
    [-3, "0 s"],
    [Number.NaN, "–"],
  ])("%d s is %s", (seconds, text) => expect(duration(seconds)).toBe(text));
});

describe("fromNow", () => {
  const now = Date.parse("2026-11-22T12:00:00Z");
  it.each([
    ["2026-11-22T11:59:58Z", "just now"],
    ["2026-11-22T11:57:00Z", "3 min ago"],
    ["2026-11-22T14:30:00Z", "in 2 h"],
    ["2026-11-20T12:00:00Z", "2 d ago"],
  ])("%s is %s", (iso, text) => expect(fromNow(iso, now)).toBe(text));

  it("counts what is left of an experiment", () => expect(secondsUntil("2026-11-22T12:10:00Z", now)).toBe(600));
});
