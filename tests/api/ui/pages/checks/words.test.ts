// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { acceptedNights, notGood, someOf } from "@/pages/checks/accepted_nights";
import { withoutPlace } from "@/pages/checks/check_document";
import { neverReached, ruleText } from "@/pages/checks/policy";
import { daysText, scheduleText } from "@/pages/checks/schedule";
import { changeOf, foundText, isConstant } from "@/pages/checks/trend_text";
import { lookOf, nightName, worstFirst } from "@/pages/checks/verdict";

describe("a night", () => {
  it("shows its verdict, and what has become of it without one", () => {
    expect(lookOf({ state: "done", verdict: "fail" })).toEqual({ word: "fail", tone: "bad" });
    expect(lookOf({ state: "cancelled", verdict: "pass" }).word).toBe("pass"); // of the run before
    expect(lookOf({ state: "running", verdict: "pass" }).word).toBe("running");
    expect(lookOf({ state: "missed", verdict: null }).word).toBe("missed");
    expect(lookOf({ state: "failed", verdict: null })).toEqual({ word: "ended with an error", tone: "unknown" });
  });
  it("is named in full", () =>
    expect(nightName({ date: "2026-03-29", state: "done", verdict: "pass", late: true, in_baseline: true })).toMatch(
      /2026.*: pass, run late, part of the baseline$/,
    ));
  it("of the worst verdict comes first", () => {
    const last = (verdict: "pass" | "warn" | "fail" | null) =>
      ({ last: { verdict } }) as Parameters<typeof worstFirst>[0][number];
    const sorted = worstFirst([last("pass"), { last: null }, last("fail"), last("warn")]);
    expect(sorted.map((one) => one.last?.verdict)).toEqual(["fail", "warn", "pass", undefined]);
  });
});

describe("nights to accept", () => {
  const night = (date: string, verdict: "pass" | "fail" | "could not be run" | null, observed = true) => ({
    date,
    verdict,
    observed,
  });
  const nights = [
    night("2026-03-05", "fail"),
    night("2026-03-04", "pass"),
    night("2026-03-03", null, false),
    night("2026-03-02", "could not be run", false),
    night("2026-03-01", "pass"),
  ];
  const dates = (chosen: { date: string }[]) => chosen.map(({ date }) => date.slice(8));
  it("are those that were observed, the oldest first", () => {
    expect(dates(acceptedNights(nights, { kind: "last", last: 2 }))).toEqual(["04", "05"]);
    expect(dates(acceptedNights(nights, { kind: "last", last: 9 }))).toEqual(["01", "04", "05"]);
    expect(acceptedNights(nights, { kind: "last", last: 0 })).toEqual([]);
    expect(dates(acceptedNights(nights, { kind: "range", first: "", until: "2026-03-04" }))).toEqual(["01", "04"]);
  });
  it("are named if they did not pass", () => expect(dates(notGood(nights.slice(0, 2)))).toEqual(["05"]));
  it("are not all named if they are many", () => {
    expect(someOf(["a", "b"], 2)).toBe("a, b");
    expect(someOf(["a", "b", "c"], 2)).toBe("a, b, and 1 more");
  });
});

describe("a document", () => {
  it("loses its name and fabric, which are beside it, and keeps all else", () => {
    const text =
      "# SPDX-License-Identifier: X\n# why\nibcc_check: 1\nname: quick\nfabric: two-switch\nkinds:\n- {kind: tables, name: a}\n";
    expect(withoutPlace(text)).toBe("# why\nibcc_check: 1\nkinds:\n- {kind: tables, name: a}\n");
    expect(withoutPlace("name: >\n  a\n")).toBe("name: >\n  a\n");
  });
});

describe("a policy", () => {
  const any = { causes: [], kinds: [], template: null };
  it("is told in words", () => {
    expect(ruleText({ ...any, answer: "rollback", kinds: ["tables"], causes: ["a", "b", "c"] })).toBe(
      "If a night fails, in an entry of kind tables, with one of the causes a, b or c, the service makes the former base profile the base again.",
    );
    expect(ruleText({ ...any, answer: "draft_campaign", template: "t" })).toMatch(
      /^If a night fails, the service .* from the template t\.$/,
    );
  });
  it("has rules that never answer", () => {
    const first = { ...any, answer: "reapply" as const, kinds: ["tables"] };
    expect(neverReached([first, { ...first, causes: ["a"] }, { ...any, answer: "rollback" }])).toEqual([{ rule: 2, before: 1 }]);
  });
});

it("names the days of a schedule", () => {
  const schedule = { enabled: true, at: "02:17", zone: "Europe/Oslo", late_by_h: 6, when_busy: "wait" as const };
  expect(daysText(["mon", "tue", "wed", "thu", "fri", "sat", "sun"])).toBe("every day");
  expect(scheduleText({ ...schedule, days: ["sun", "mon"] })).toBe("Mon, Sun at 02:17 (Europe/Oslo)");
  expect(scheduleText({ ...schedule, enabled: false, days: ["sun"] })).toBe("switched off");
});

describe("a trend", () => {
  const values = [
    { date: "2026-03-01", value: 13 },
    { date: "2026-03-02", value: 11 },
  ];
  const baseline = { middle: 13, found: { "1": 10.4, "3": 11.5, "7": 12 } };
  it("is better or worse, as its metric is", () => {
    const change = { values, baseline, since: "2026-03-02" };
    expect(changeOf({ ...change, better: "more" })).toBe("worse");
    expect(changeOf({ ...change, better: "less" })).toBe("better");
    expect(changeOf({ ...change, baseline: null, better: "less" })).toBe("changed");
  });
  it("that never varied is known, unless it has changed since the baseline", () => {
    const same = values.map((one) => ({ ...one, value: 0 }));
    expect([values, same, same.slice(1)].map((those) => isConstant({ values: those, changed: false }))).toEqual([
      false,
      true,
      false,
    ]);
    expect(isConstant({ values: same, changed: true })).toBe(false);
  });
  it("says what is found, and leaves out what is not", () => {
    expect(foundText({ baseline, unit: "Gb/s" })).toBe(
      "A change for the worse is found at 10.4\u00a0Gb/s after 1 night, 11.5\u00a0Gb/s after 3 and 12\u00a0Gb/s after 7.",
    );
    expect(foundText({ baseline: { middle: 0, found: { "1": null, "3": 2, "7": null } }, unit: "1" })).toBe(
      "A change for the worse is found at 2 after 3 nights.",
    );
    expect(foundText({ baseline: { middle: 0, found: { "1": null, "3": null, "7": null } }, unit: "1" })).toMatch(/^No change/);
  });
});
