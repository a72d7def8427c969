// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, test } from "vitest";
import type { PlannedFlow, PlannedWorkload } from "@/api/types";
import { layoutOf, ROW, shortened } from "@/pages/campaigns/placement_layout";

const flow = (name: string, role: string, src: string, dst: string): PlannedFlow => ({
  flow: name,
  role,
  src,
  src_name: src,
  dst,
  dst_name: dst,
  rate_gbps: null,
  shares: [],
});

function workload(contributors: number, victims: number): PlannedWorkload {
  const flows = [
    ...Array.from({ length: contributors }, (_, i) => flow(`C${i}`, "contributor", `c${i}`, "hot")),
    ...Array.from({ length: victims }, (_, i) => flow(`V${i}`, "victim", `v${i}`, `e${i}`)),
  ];
  const shared = Array.from({ length: victims }, (_, i) => ({ flow: `V${i}`, links: ["S1/1 → S2/1"], contributors: ["C0"] }));
  return {
    workload: "w",
    placed: true,
    time_factor: 1,
    duration_s: 1,
    counts: null,
    roles: { contributor: contributors, victim: victims },
    hotspots: ["hot"],
    flows,
    groups: 1,
    fitted: null,
    flows_total: flows.length,
    shared,
  };
}

test.each([
  [1, 0],
  [4, 1],
  [2, 3],
  [400, 60],
])("no two names of %i contributors and %i victims overlap", (contributors, victims) => {
  const { senders, receivers, height } = layoutOf(workload(contributors, victims));
  for (const spots of [senders, receivers]) {
    const heights = spots.map(({ y }) => y).sort((a, b) => a - b);
    for (const [i, y] of heights.slice(1).entries()) expect(y - (heights[i] ?? 0)).toBeGreaterThanOrEqual(ROW);
    for (const y of heights) expect(y).toBeLessThan(height);
  }
});

test("victims come first, and what is not drawn is counted", () => {
  const layout = layoutOf(workload(40, 2));
  expect(layout.senders.slice(0, 3).map(({ name }) => name)).toEqual(["v0", "v1", "c0"]);
  expect(layout.left).toBe(42 - layout.senders.length);
  expect(layout.links).toHaveLength(1);
});

test("long names keep their two ends", () => {
  expect(shortened("short", 10)).toBe("short");
  expect([...shortened(`${"x".repeat(64)}-17`, 12)]).toHaveLength(12);
  expect(shortened(`${"🐙".repeat(40)}end`, 10)).toMatch(/end$/);
});
