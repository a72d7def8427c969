// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Progress of the phase of a running campaign, in words. */

import type { Campaign } from "@/api/types";
import { duration } from "@/format/time";

/** Runs of a phase outside the search, and the time that the phase has left, to follow the count of trials. */
export function leftOf({ phase, progress }: Campaign): string {
  if (!progress) return "";
  const runs = phase === "search" ? "" : `, ${progress.done} of ${progress.total} runs`;
  return progress.remaining_s ? `${runs}, about ${duration(progress.remaining_s)} left` : runs;
}
