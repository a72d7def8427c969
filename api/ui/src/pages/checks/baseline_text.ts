// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's baseline in words. */

import type { Check } from "@/api/types";
import { nightText } from "@/format/night";
import { count } from "@/format/quantity";

export function baselineText({ baseline, learn_nights }: Pick<Check, "baseline" | "learn_nights">): string {
  if (!baseline) return `none yet, learns ${count(learn_nights, "night")}`;
  return `${count(baseline.nights, "night")}, ${nightText(baseline.first)} to ${nightText(baseline.last)}`;
}
