// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { DAYS, moment, nextTime, zones } from "@/format/zone";

const at = (date: string, time: string, zone: string) => new Date(moment(date, time, zone)).toISOString();

describe("a time of day in a zone", () => {
  it.each([
    ["2026-01-10", "02:17", "Europe/Oslo", "2026-01-10T01:17:00.000Z"],
    ["2026-07-10", "02:17", "Europe/Oslo", "2026-07-10T00:17:00.000Z"],
    ["2026-01-10", "23:59", "Pacific/Auckland", "2026-01-10T10:59:00.000Z"],
    ["2026-01-10", "00:00", "Asia/Kathmandu", "2026-01-09T18:15:00.000Z"],
  ])("%s %s in %s", (date, time, zone, wanted) => expect(at(date, time, zone)).toBe(wanted));

  it("that clocks skip is later by as much as they are set forward", () => {
    expect(at("2026-03-29", "02:17", "Europe/Oslo")).toBe("2026-03-29T01:17:00.000Z"); // 03:17 by the clocks
    expect(at("2026-03-08", "02:30", "America/New_York")).toBe("2026-03-08T07:30:00.000Z");
    expect(at("2026-10-04", "02:15", "Australia/Lord_Howe")).toBe("2026-10-03T15:45:00.000Z"); // by half an hour
  });

  it("that comes twice is the first", () => {
    expect(at("2026-10-25", "02:17", "Europe/Oslo")).toBe("2026-10-25T00:17:00.000Z");
    expect(at("2026-11-01", "01:30", "America/New_York")).toBe("2026-11-01T05:30:00.000Z");
  });

  it("just before and after a change is what the clocks show", () => {
    expect(at("2026-03-29", "01:59", "Europe/Oslo")).toBe("2026-03-29T00:59:00.000Z");
    expect(at("2026-03-29", "03:00", "Europe/Oslo")).toBe("2026-03-29T01:00:00.000Z");
    expect(at("2026-10-25", "03:00", "Europe/Oslo")).toBe("2026-10-25T02:00:00.000Z");
  });
});

describe("the next time", () => {
  const now = Date.parse("2026-11-25T01:17:00Z"); // a Wednesday, 02:17 in Oslo
  const next = (change: object) => {
    const time = nextTime({ at: "02:17", zone: "Europe/Oslo", days: DAYS, ...change }, now);
    return time === null ? null : new Date(time).toISOString();
  };
  it("is after now, on one of the days of the zone", () => {
    expect(next({})).toBe("2026-11-26T01:17:00.000Z");
    expect(next({ at: "02:18" })).toBe("2026-11-25T01:18:00.000Z");
    expect(next({ days: ["wed"] })).toBe("2026-12-02T01:17:00.000Z");
    expect(next({ at: "20:00", zone: "America/New_York", days: ["tue"] })).toBe("2026-12-02T01:00:00.000Z");
  });
  it("does not exist without days, and in a zone that nobody knows", () => {
    expect(next({ days: [] })).toBeNull();
    expect(next({ zone: "Europe/Atlantis" })).toBeNull();
    expect(next({ at: "" })).toBeNull();
  });
});

it("offers a zone that only the service knows", () => {
  expect(zones("US/Pacific-New")).toContain("US/Pacific-New");
  expect(zones()[0]).toBe("UTC");
  expect(new Set(zones()).size).toBe(zones().length);
});
