// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { KeptEvent } from "@/api/types";
import { heardNow, merged } from "@/pages/events/heard";
import { happening } from "@/pages/events/live_events";
import { wrong } from "@/pages/overview/watch_health";

const NOW = new Date("2026-11-22T08:00:00Z");

function kept(id: number, severity: KeptEvent["severity"], fabric = "lab"): KeptEvent {
  return {
    id,
    at: "2026-11-22T07:00:00Z",
    topic: `fabric:${fabric}`,
    kind: "device.lost",
    severity,
    fabric,
    text: "H4 is lost",
    data: { fabric },
  };
}

function heard(id: string, severity?: string, fabric = "lab") {
  return heardNow({ id, kind: "device.back", data: { at: "2026-11-22T07:59:00Z", fabric, severity } }, NOW);
}

it("shows an event once, though both the list and the stream have it, newest first", () => {
  const rows = merged([heard("9", "info"), heard("8")], [kept(9, "info"), kept(3, "error")], null, "", 10);
  expect(rows.map(({ id, severity }) => [id, severity])).toEqual([
    [9, "info"],
    [8, null],
    [3, "error"],
  ]);
  expect(merged([heard("9")], [kept(3, "error")], null, "", 1)).toHaveLength(1);
});

it("filters by severity and fabric, and progress has no severity", () => {
  const both = [heard("9"), heard("10", "warning"), heard("11", "warning", "other")];
  expect(merged(both, [kept(3, "error")], ["warning", "error"], "lab", 10).map(({ id }) => id)).toEqual([10, 3]);
});

it("takes the service's sentence for an event", () => {
  const [row] = merged([], [kept(9, "warning")], null, "", 10);
  expect(row && happening(row)).toBe("H4 is lost");
  expect(happening({ kind: "state", data: { fabric: "lab", action: "start", text: "OpenSM was started" } })).toBe(
    "OpenSM was started",
  );
});

it("takes the headline of an event that has one", () => {
  const data = { at: "x", topic: "fabric:lab", fabric: "lab", severity: "warning", headline: "<b>H4</b> is lost", count: 1 };
  expect(happening({ kind: "device.lost", data })).toBe("<b>H4</b> is lost");
  expect(heardNow({ id: "1", kind: "x", data: null }, NOW).at).toBe(NOW.toISOString());
});

it("says what is not as it should be", () => {
  const none = { devices: 9, present: 9, missing: 0, missing_switches: 0, timing_out: 0, drifted: 0, not_ready: 0, new: 0 };
  const counts = { ...none, flapping: 0, not_cabled_as_imported: 0, links: 8, links_down: 0 };
  expect(wrong(counts)).toEqual([]);
  expect(wrong({ ...counts, missing: 2, links_down: 1 })).toEqual([
    { text: "2 missing", mark: "missing" },
    { text: "1 link down", mark: null },
  ]);
});
