// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { NEW_CAMPAIGN, specOf, textOf, unnamed, withSpec } from "@/pages/campaigns/spec_text";

const scenario = readFileSync(new URL("../../../../../configs/campaigns/scenario-1.yaml", import.meta.url), "utf8");
const remark = scenario.split("\n").find((line) => line.startsWith("  # ")) ?? "there is none";

describe("a campaign's text", () => {
  it("is what it says", () => {
    expect(specOf("a: {b: 1}\n")).toEqual({ a: { b: 1 } });
    for (const none of ["", "- 1", "a: [", "a: 1\na: 2"]) expect(specOf(none)).toBeNull();
    expect(specOf(NEW_CAMPAIGN)).toMatchObject({ ibcc_campaign: 1 });
  });
  it("loses its name, which stands beside it", () => {
    const text = unnamed(scenario);
    const { name: _, ...rest } = specOf(scenario) ?? {};
    expect(specOf(text)).toEqual(rest);
    expect(text).toContain(remark);
  });
  it("stays as it is where nothing has changed", () => {
    const spec = specOf(scenario) ?? {};
    const changed = withSpec(scenario, { ...spec, seeds: [1, 2, 3], budget: { trials: 5 }, suggestion: false });
    expect(specOf(changed)).toEqual({ ...spec, seeds: [1, 2, 3], budget: { trials: 5 }, suggestion: false });
    expect(changed).toContain(remark);
    expect(changed).toContain("switch.marking_rate: {low: 0, high: 4}");
    expect(changed).toContain("seeds: [1, 2, 3]");
    expect(withSpec("a: [", { b: 1 })).toBe("a: [");
  });
  it("takes keys in and out of mappings whose names have dots", () => {
    const spec = specOf(scenario) ?? {};
    const space = { ...(spec.space as object), "ca.ccti_min": { low: 0, high: 8 }, "ca.ccti_increase": undefined };
    const changed = specOf(withSpec(scenario, { ...spec, space }))?.space as Record<string, unknown>;
    expect(Object.keys(changed)).toEqual([
      "switch.marking_rate",
      "ca.ccti_timer",
      "cct.curve.full_scale_us",
      "cct.curve.exponent",
      "ca.ccti_min",
    ]);
  });
  it("is made of a document, plain parts in one line", () => {
    const spec = specOf(scenario) ?? {};
    const text = textOf(spec);
    expect(specOf(text)).toEqual(spec);
    expect(text).toContain("\nseeds: [1, 2]\n");
    expect(text).toContain("\n  switch.marking_rate: {low: 0, high: 4}\n");
    expect(textOf({ a: "off", b: "<img src=x onerror=alert(1)>", c: "1e5" })).toContain('"1e5"');
  });
});
