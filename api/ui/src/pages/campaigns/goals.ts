// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The search space, objectives and constraints of a campaign document, as tables edit them. */

import type { Spec } from "@/pages/campaigns/spec_text";

const mapping = (value: unknown): Spec =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Spec) : {};

export interface Field {
  path: string;
  /** The field as the document has it: a mapping, or a value alone. */
  domain: unknown;
}

export type FieldKind = "range" | "choices" | "fixed";

export const spaceOf = (spec: Spec): Field[] => Object.entries(mapping(spec.space)).map(([path, domain]) => ({ path, domain }));

export function kindOf(domain: unknown): FieldKind {
  const { low, high, choices } = mapping(domain);
  return choices !== undefined ? "choices" : low !== undefined || high !== undefined ? "range" : "fixed";
}

export const fixedValue = (domain: unknown): unknown =>
  domain !== null && typeof domain === "object" ? mapping(domain).value : domain;

/** The same field as another kind, with what both have in common; conditions stay. */
export function asKind(domain: unknown, kind: FieldKind): unknown {
  const { low, high, choices, when } = mapping(domain);
  const kept = when === undefined ? {} : { when };
  const known = Array.isArray(choices) ? choices : [low, high].filter((end) => end !== undefined);
  const first = known[0] ?? fixedValue(domain) ?? 0;
  if (kind === "range") {
    const numbers = [...known, first].filter((one) => typeof one === "number");
    const ends = numbers.length > 0 ? numbers : [0];
    const [from, to] = [Math.min(...ends), Math.max(...ends)];
    return { low: from, high: to > from ? to : from + 1, ...kept };
  }
  if (kind === "choices") return { choices: known.length > 1 ? known : [first], ...kept };
  return when === undefined ? first : { value: first, when };
}

export function withField(spec: Spec, path: string, domain: unknown): Spec {
  return { ...spec, space: { ...mapping(spec.space), [path]: domain } };
}

export function withoutField(spec: Spec, path: string): Spec {
  const { [path]: _, ...space } = mapping(spec.space);
  return { ...spec, space };
}

/** "1, 2.5, qp" as values of YAML: numbers, true and false, and text. */
export function valuesOf(text: string): (string | number | boolean)[] {
  return text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => (one === "true" ? true : one === "false" ? false : Number.isNaN(Number(one)) ? one : Number(one)));
}

export interface Goal {
  objective: string;
  over: string | Record<string, number>;
}

/** Objectives by default; as tuner/documents/campaign.py has them. */
const DEFAULT_OBJECTIVES = ["victim_throughput", "treatment_variation"];

export function goalsOf(spec: Spec): Goal[] {
  const listed = Array.isArray(spec.objectives) ? spec.objectives : DEFAULT_OBJECTIVES;
  return listed.map((one) => {
    if (typeof one === "string") return { objective: one, over: "mean" };
    const { objective, over } = mapping(one);
    return { objective: String(objective ?? ""), over: (over as Goal["over"] | undefined) ?? "mean" };
  });
}

/** The name by which `hypervolume_reference` calls a goal: `worst_total_throughput`, `cvar_0.25_total_throughput`. */
export function goalName({ objective, over }: Goal): string {
  if (typeof over === "string") return over === "mean" ? objective : `${over}_${objective}`;
  const [[name, number] = ["", 0]] = Object.entries(over);
  return `${name}_${number}_${objective}`;
}

export const referenceOf = (spec: Spec, goal: Goal): number | undefined => {
  const value = mapping(spec.hypervolume_reference)[goalName(goal)];
  return typeof value === "number" ? value : undefined;
};

/** The goals, each with its reference, as far as there is one. */
export function withGoals(spec: Spec, goals: { goal: Goal; reference: number | undefined }[]): Spec {
  const references = goals.flatMap(({ goal, reference }) => (reference === undefined ? [] : [[goalName(goal), reference]]));
  return {
    ...spec,
    objectives: goals.map(({ goal }) => (goal.over === "mean" ? goal.objective : goal)),
    hypervolume_reference: Object.fromEntries(references),
  };
}

export type Sense = "at_least" | "at_most";

export interface Limit {
  name: string;
  sense: Sense;
  value: number;
  /** `baseline`, `expert` or `value`; undefined: the constraint's default. */
  of: string | undefined;
}

/** Constraints by default; as tuner/documents/campaign_goals.py has them. */
const DEFAULT_CONSTRAINTS = { contributor_total: { at_least: 0.98 } };

export function limitsOf(spec: Spec): Limit[] {
  return Object.entries(mapping(spec.constraints ?? DEFAULT_CONSTRAINTS)).map(([name, written]) => {
    const limit = mapping(written);
    const sense: Sense = limit.at_most !== undefined ? "at_most" : "at_least";
    return { name, sense, value: Number(limit[sense] ?? 0), of: typeof limit.of === "string" ? limit.of : undefined };
  });
}

export function withLimits(spec: Spec, limits: Limit[]): Spec {
  const constraints = limits.map(({ name, sense, value, of }) => [name, { [sense]: value, ...(of && { of }) }]);
  return { ...spec, constraints: Object.fromEntries(constraints) };
}
