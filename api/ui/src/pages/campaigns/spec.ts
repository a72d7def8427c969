// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The parts of a campaign document that the pages read and write. */

import type { RoleCounts } from "@/api/types";

/** The fields of the wizard; the rest of the template stays as it is. */
export interface Settings {
  trials: number;
  time_s: number | null;
  seeds: number[];
  time_scale: number;
  /** The time scale of the confirmation. */
  confirmation_scale: number;
  parallel: number;
  sampler: string;
  /** The suggested profile is measured first. */
  suggestion: boolean;
  /** Other numbers of hosts than the workloads' roles have; null: theirs. */
  roles: RoleCounts | null;
  /** The one that is taken of a fabric of several subnets. */
  subnet: number | null;
}

export const SAMPLERS = ["tpe", "nsga2", "qmc", "random", "grid"];

type Spec = Record<string, unknown>;

const record = (value: unknown): Spec =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Spec) : {};
const numberOr = (value: unknown, fallback: number) => (typeof value === "number" ? value : fallback);

export function settingsOf(spec: Spec): Settings {
  const budget = record(spec.budget);
  return {
    trials: numberOr(budget.trials, 60),
    time_s: typeof budget.time_s === "number" ? budget.time_s : null,
    seeds: Array.isArray(spec.seeds) ? spec.seeds.filter((seed) => typeof seed === "number") : [1, 2],
    time_scale: numberOr(spec.time_scale, 1),
    confirmation_scale: numberOr(record(spec.confirmation).time_scale, 1),
    parallel: numberOr(spec.parallel, 1),
    sampler: typeof spec.sampler === "string" ? spec.sampler : String(record(spec.sampler).kind ?? "tpe"),
    suggestion: spec.suggestion !== false,
    roles: spec.roles === undefined || spec.roles === null ? null : (record(spec.roles) as RoleCounts),
    subnet: typeof spec.subnet === "number" ? spec.subnet : null,
  };
}

/** The document with the wizard's fields. A sampler that was not changed keeps its options. */
export function withSettings(spec: Spec, settings: Settings): Spec {
  const old = settingsOf(spec);
  const same = old.sampler === settings.sampler;
  // A field that the document does not have is added only if it was changed.
  const rescaled = settings.confirmation_scale !== old.confirmation_scale;
  const suggested = settings.suggestion !== old.suggestion && { suggestion: settings.suggestion };
  const roles = { roles: settings.roles ?? undefined };
  const confirmation = rescaled && { confirmation: { ...record(spec.confirmation), time_scale: settings.confirmation_scale } };
  return {
    ...spec,
    budget: settings.time_s === null ? { trials: settings.trials } : { trials: settings.trials, time_s: settings.time_s },
    seeds: settings.seeds,
    time_scale: settings.time_scale,
    ...confirmation,
    ...suggested,
    ...roles,
    subnet: settings.subnet ?? undefined,
    parallel: settings.parallel,
    sampler: same ? (spec.sampler ?? { kind: settings.sampler }) : { kind: settings.sampler },
  };
}

/** "1, 2, 5" as integers; null for any other text. */
export function parseSeeds(text: string): number[] | null {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  return parts.length > 0 && parts.every((part) => /^\d+$/.test(part)) ? parts.map(Number) : null;
}

export function namesIn(spec: Spec, key: string): string[] {
  const value = spec[key];
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? item : String(record(item).name ?? "")));
  return typeof value === "string" ? [value] : Object.keys(record(value));
}

/** "10 to 400, logarithmic", "qp or sl", "8 (fixed)". */
export function rangeOf(domain: unknown): string {
  const { low, high, log, choices } = record(domain);
  if (Array.isArray(choices)) return choices.map(String).join(" or ");
  if (low !== undefined && high !== undefined) return `${low} to ${high}${log ? ", logarithmic" : ""}`;
  return `${typeof domain === "object" ? JSON.stringify(domain) : String(domain)} (fixed)`;
}
