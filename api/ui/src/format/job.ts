// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Jobs as text. */

import type { Job } from "@/api/types";
import { dateTime, secondsUntil } from "@/format/time";

/** The progress of a job, or why it failed. */
export function progressText({ problem, progress, state, not_before }: Job): string {
  if (problem) return problem;
  if (state === "done") return "";
  if (not_before && state === "queued" && secondsUntil(not_before) > 0) return `waits until ${dateTime(not_before)}`;
  const share = progress.total ? `${progress.done} of ${progress.total}` : "";
  return [share, progress.text].filter(Boolean).join(", ");
}
