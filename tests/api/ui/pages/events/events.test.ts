// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { since } from "@/pages/events/audit_log";
import { summary } from "@/pages/events/live_events";

it("sums an event's short values up", () =>
  expect(summary({ kind: "campaign", state: "running", progress: { done: 1 }, problem: null })).toBe(
    "kind campaign, state running",
  ));

it("asks from a full hour on, so that the question stays the same while the page is open", () => {
  const now = Date.parse("2026-11-22T12:34:56Z");
  expect(since("1", now)).toBe("2026-11-21T12:00:00.000Z");
  expect(since("", now)).toBe("");
});
