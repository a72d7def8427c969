// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it, test } from "vitest";
import {
  asKind,
  goalName,
  goalsOf,
  kindOf,
  limitsOf,
  referenceOf,
  spaceOf,
  valuesOf,
  withField,
  withGoals,
  withLimits,
  withoutField,
} from "@/pages/campaigns/goals";

const SPEC = {
  space: { "ca.ccti_timer": { low: 10, high: 400, log: true }, "ca.level": "qp" },
  objectives: ["victim_throughput", { objective: "total_throughput", over: { cvar: 0.25 } }],
  constraints: { contributor_total: { at_least: 0.98 }, spread: { at_most: 1, of: "expert" } },
  hypervolume_reference: { victim_throughput: 2, "cvar_0.25_total_throughput": 10 },
};

test.each([
  [{ low: 1, high: 9, log: true }, "choices", { choices: [1, 9] }],
  [{ low: 1, high: 9 }, "fixed", 1],
  [{ choices: [8, 2, 4] }, "range", { low: 2, high: 8 }],
  [{ choices: ["qp", "sl"] }, "range", { low: 0, high: 1 }],
  ["qp", "choices", { choices: ["qp"] }],
  [8, "range", { low: 8, high: 9 }],
  [{ low: 1, high: 9, when: { a: [1] } }, "fixed", { value: 1, when: { a: [1] } }],
  [{ value: 3, when: { a: [1] } }, "choices", { choices: [3], when: { a: [1] } }],
] as const)("%j as %s is %j", (domain, kind, other) => {
  expect(asKind(domain, kind)).toEqual(other);
  expect(kindOf(other)).toBe(kind);
});

describe("the search space", () => {
  it("has its fields", () =>
    expect(spaceOf(SPEC).map(({ path, domain }) => [path, kindOf(domain)])).toEqual([
      ["ca.ccti_timer", "range"],
      ["ca.level", "fixed"],
    ]));
  it("takes fields in and out", () => {
    expect(spaceOf(withField(SPEC, "ca.ccti_min", 1))).toHaveLength(3);
    expect(spaceOf(withoutField(SPEC, "ca.level"))).toHaveLength(1);
    expect(spaceOf({})).toEqual([]);
  });
  it("reads values as YAML does", () => expect(valuesOf("1, 2.5, qp, true,, ")).toEqual([1, 2.5, "qp", true]));
});

describe("goals", () => {
  it("have the names of their references", () => {
    const goals = goalsOf(SPEC);
    expect(goals.map(goalName)).toEqual(["victim_throughput", "cvar_0.25_total_throughput"]);
    expect(goals.map((goal) => referenceOf(SPEC, goal))).toEqual([2, 10]);
    const same = goals.map((goal) => ({ goal, reference: referenceOf(SPEC, goal) }));
    expect(withGoals(SPEC, same)).toEqual(SPEC);
  });
  it("lose the reference of one that is gone or is put together otherwise", () => {
    const worst = withGoals(SPEC, [{ goal: { objective: "victim_throughput", over: "worst" }, reference: 3 }]);
    expect(worst.objectives).toEqual([{ objective: "victim_throughput", over: "worst" }]);
    expect(worst.hypervolume_reference).toEqual({ worst_victim_throughput: 3 });
  });
  it("are those by default where the document has none", () =>
    expect(goalsOf({}).map(goalName)).toEqual(["victim_throughput", "treatment_variation"]));
});

describe("constraints", () => {
  it("are read and put back", () => {
    expect(limitsOf(SPEC)).toEqual([
      { name: "contributor_total", sense: "at_least", value: 0.98, of: undefined },
      { name: "spread", sense: "at_most", value: 1, of: "expert" },
    ]);
    expect(withLimits(SPEC, limitsOf(SPEC))).toEqual(SPEC);
  });
});
