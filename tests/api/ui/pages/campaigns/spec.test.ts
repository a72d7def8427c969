// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import { namesIn, parseSeeds, rangeOf, settingsOf, withSettings } from "@/pages/campaigns/spec";

const SPEC = {
  workloads: ["scenario-1"],
  space: { "ca.ccti_timer": { low: 10, high: 400, log: true } },
  objectives: ["victim_throughput", "treatment_variation"],
  constraints: { contributor_total: { at_least: 0.98 } },
  budget: { trials: 60, time_s: 100 },
  seeds: [1, 2],
  sampler: { kind: "tpe", seed: 1, startup_trials: 16 },
  parallel: 2,
  time_scale: 0.4,
};

describe("settings", () => {
  it("are read from the template", () =>
    expect(settingsOf(SPEC)).toEqual({
      trials: 60,
      time_s: 100,
      seeds: [1, 2],
      time_scale: 0.4,
      confirmation_scale: 1,
      parallel: 2,
      sampler: "tpe",
      suggestion: true,
      roles: null,
      subnet: null,
    }));
  it("put back unchanged leave it as it was", () => expect(withSettings(SPEC, settingsOf(SPEC))).toEqual(SPEC));
  it("replace what was changed, and drop the options of another sampler", () => {
    const spec = withSettings(SPEC, { ...settingsOf(SPEC), trials: 5, time_s: null, sampler: "random" });
    expect(spec).toMatchObject({ budget: { trials: 5 }, sampler: { kind: "random" }, workloads: ["scenario-1"] });
    expect(spec.budget).toEqual({ trials: 5 });
  });
  it("leave the suggested profile out, or put it back, by one key", () => {
    expect(withSettings(SPEC, { ...settingsOf(SPEC), suggestion: false })).toEqual({ ...SPEC, suggestion: false });
    const without = { ...SPEC, suggestion: false };
    expect(settingsOf(without).suggestion).toBe(false);
    expect(withSettings(without, settingsOf(without))).toEqual(without);
    expect(withSettings(without, { ...settingsOf(without), suggestion: true }).suggestion).toBe(true);
  });
  it("change of the confirmation its time scale alone", () => {
    const spec = { ...SPEC, confirmation: { seeds: [101], time_scale: 0.5, front: 4 } };
    expect(settingsOf(spec).confirmation_scale).toBe(0.5);
    expect(withSettings(spec, { ...settingsOf(spec), confirmation_scale: 0.1 }).confirmation).toEqual({
      seeds: [101],
      time_scale: 0.1,
      front: 4,
    });
  });
});

it.each([
  ["1, 2 5", [1, 2, 5]],
  ["7", [7]],
  ["", null],
  ["1, x", null],
  ["-1", null],
])("seeds %s", (text, seeds) => expect(parseSeeds(text)).toEqual(seeds));

it("says what is tried", () => {
  expect(rangeOf({ low: 10, high: 400, log: true })).toBe("10 to 400, logarithmic");
  expect(rangeOf({ choices: ["qp", "sl"] })).toBe("qp or sl");
  expect(rangeOf(8)).toBe("8 (fixed)");
});

it("names objectives and constraints however they are written", () => {
  expect(namesIn(SPEC, "objectives")).toEqual(["victim_throughput", "treatment_variation"]);
  expect(namesIn(SPEC, "constraints")).toEqual(["contributor_total"]);
});
