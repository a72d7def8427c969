// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { addDays, addMonths, today, weekday } from "@/format/night";

describe("dates of nights", () => {
  it("go on over the ends of months and years, and over changes of clocks", () => {
    expect(addDays("2026-12-31", 1)).toBe("2027-01-01");
    expect(addDays("2028-03-01", -1)).toBe("2028-02-29");
    expect(addDays("2026-03-28", 2)).toBe("2026-03-30");
  });
  it("a month away keep their day where there is one", () => {
    expect(addMonths("2026-03-31", -1)).toBe("2026-02-28");
    expect(addMonths("2026-12-15", 1)).toBe("2027-01-15");
  });
  it("begin their weeks on Monday", () => {
    expect(["2026-03-02", "2026-03-08", "1969-12-29"].map(weekday)).toEqual([0, 6, 0]);
  });
  it("depend on whose day it is", () => {
    const moment = Date.parse("2026-03-01T23:30:00Z");
    expect([today("UTC", moment), today("Asia/Tokyo", moment), today("America/New_York", moment)]).toEqual([
      "2026-03-01",
      "2026-03-02",
      "2026-03-01",
    ]);
  });
});
