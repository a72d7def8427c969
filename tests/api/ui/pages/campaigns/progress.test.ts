// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import type { Campaign } from "@/api/types";
import { leftOf } from "@/pages/campaigns/phase_progress";

const left = (phase: string, progress: Campaign["progress"]) => leftOf({ phase, progress } as Campaign);

it("says how long a phase takes yet, and of the runs outside the search how many are done", () => {
  expect(left("confirmation", { done: 12, total: 45, remaining_s: 130 })).toBe(", 12 of 45 runs, about 2 min 10 s left");
  expect(left("references", { done: 0, total: 4, remaining_s: null })).toBe(", 0 of 4 runs");
  expect(left("search", { done: 3, total: 9, remaining_s: 60 })).toBe(", about 1 min left");
  expect(left("search", null)).toBe("");
});
