// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A metric's trend in words. */

import type { MetricTrend } from "@/api/types";
import { unitText } from "@/charts/trend";
import { percent, quantity } from "@/format/quantity";

/** What stands for flows that never came there, such as contributors that never settled, by metric. */
const NEVER: Record<string, number> = { settle_time: 1000 };

/** A value of a metric with its unit; "never" for what stands for that, also as part of a level over some nights. */
export function valueText(metric: string, value: number | null | undefined, unit: string): string {
  const never = NEVER[metric];
  if (never !== undefined && typeof value === "number" && value >= never / 2) return "never";
  return quantity(value, unit);
}

/** Whether the nights since the change are better or worse than the baseline, by their mean; "changed" if that cannot be said. */
export function changeOf({ values, baseline, better, since }: Pick<MetricTrend, "values" | "baseline" | "better" | "since">) {
  const later = values.filter(({ date }) => since !== null && date >= since).map(({ value }) => value);
  if (!baseline || later.length === 0) return "changed";
  const mean = later.reduce((sum, value) => sum + value, 0) / later.length;
  if (mean === baseline.middle) return "changed";
  return mean > baseline.middle === (better === "more") ? "better" : "worse";
}

/** "A change for the worse is found at 12.5 Gb/s after 1 night, 13 Gb/s after 3 and 13.1 Gb/s after 7." */
export function foundText({ baseline, unit }: Pick<MetricTrend, "baseline" | "unit">): string {
  const found = (["1", "3", "7"] as const).flatMap((nights) => {
    const value = baseline?.found[nights];
    return value === null || value === undefined ? [] : [{ nights, value }];
  });
  if (found.length === 0) return "No change is found within 7 nights; more nights in the baseline make it find smaller ones.";
  const parts = found.map(
    ({ nights, value }, i) =>
      `${quantity(value, unitText(unit))} after ${nights}${i === 0 ? (nights === "1" ? " night" : " nights") : ""}`,
  );
  const last = parts.pop();
  return `A change for the worse is found at ${parts.length > 0 ? `${parts.join(", ")} and ` : ""}${last}.`;
}

/** True if all nights had the same value, so that a chart of it says nothing. */
export function isConstant({ values, changed }: Pick<MetricTrend, "values" | "changed">): boolean {
  return !changed && values.length > 1 && values.every(({ value }) => value === values[0]?.value);
}

export function effectText({ least_effect, relative, unit }: Pick<MetricTrend, "least_effect" | "relative" | "unit">): string {
  return relative ? percent(least_effect) : quantity(least_effect, unitText(unit));
}
