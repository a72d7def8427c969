// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The figures of a campaign's recommended profile, beside those of CC off and of the published profile. */

import type { Campaign } from "@/api/types";
import { quantity, titleOf, unitOf } from "@/format/quantity";

export interface Figure {
  title: string;
  /** Definition in words; empty if the service has none. */
  meaning: string;
  text: string;
  /** The values of the baseline and the published profile. */
  beside: string;
}

type Metrics = Record<string, number | null>;

const REFERENCES = [
  ["baseline", "CC off"],
  ["expert", "published"],
] as const;
/** Objectives that say how equally flows are treated: flows that all starve are equal too. */
const EQUALITY = /treatment_variation|spread|jain/;
/** Part of what flows get under the recommended profile, below which another profile's equality is not compared with it. */
const SERVED = 0.9;

/** Says which flows get less under the other profile; empty if none do, or if it is not known. */
export function starved(other: Metrics | undefined, own: Metrics | undefined): string {
  const less = (key: string) => {
    const [a, b] = [other?.[key], own?.[key]];
    return typeof a === "number" && typeof b === "number" && a < SERVED * b;
  };
  if (less("victim_throughput_gbps")) return ` while a victim gets only ${quantity(other?.victim_throughput_gbps, "Gb/s")}`;
  if (less("contributor_total_gbps")) return ` while contributors get only ${quantity(other?.contributor_total_gbps, "Gb/s")}`;
  return "";
}

type Pair = Partial<Record<"baseline" | "expert", number | null>>;

export function figuresOf({ best, objectives }: Campaign): Figure[] {
  if (!best) return [];
  const metrics = best.metrics as Record<"recommended" | "baseline" | "expert", Metrics> | undefined;
  const beside = (name: string, unit: string, own: number | null | undefined, others: Pair) =>
    REFERENCES.map(([role, title]) => {
      const other = others[role];
      if (other === null || other === undefined) return "";
      const equal = EQUALITY.test(name) && isAsGood(name, other, own);
      return `${title} ${quantity(other, unit)}${equal ? starved(metrics?.[role], metrics?.recommended) : ""}`;
    })
      .filter(Boolean)
      .join(", ");
  const values = best.values as Record<string, number | null>;
  // The confirmation measures the references again, as it does the recommended profile.
  const again = best.beside as Record<"baseline" | "expert", Record<string, number>> | undefined;
  const goals = objectives.map(({ name, title, unit, meaning, baseline, expert }) => ({
    title: titleOf(title),
    meaning: meaning ?? "",
    text: quantity(values[name], unit),
    beside: beside(
      name,
      unit,
      values[name],
      again ? { baseline: again.baseline[name], expert: again.expert[name] } : { baseline, expert },
    ),
  }));
  // The service's other figures of that trial; those that are objectives are there already.
  const others = Object.entries(best).filter(
    (pair): pair is [string, number] =>
      typeof pair[1] === "number" && pair[0] !== "number" && !objectives.some(({ name }) => pair[0].startsWith(name)),
  );
  return [
    ...goals,
    ...others.map(([name, value]) => ({
      title: titleOf(name),
      meaning: "",
      text: quantity(value, unitOf(name)),
      beside: beside(name, unitOf(name), value, { baseline: metrics?.baseline[name], expert: metrics?.expert[name] }),
    })),
  ];
}

/** True if the other value is as equal: less is more equal, but for an index. */
function isAsGood(name: string, other: number, own: number | null | undefined): boolean {
  if (own === null || own === undefined) return true;
  return /jain/.test(name) ? other >= own : other <= own;
}
