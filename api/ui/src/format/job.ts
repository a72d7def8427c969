// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Jobs as text. */

import type { Job } from "@/api/types";
import { dateTime, secondsUntil } from "@/format/time";

const KINDS: Record<string, string> = {
  apply: "trial run",
  check: "nightly check",
  check_answer: "answer to a check",
  fabric_import: "import",
  "hosts.check": "check of hosts",
  promote: "promotion",
  restore: "restore of the base",
  rollback: "roll back",
  verify: "verification",
};

/** The kind of a job in words. */
export function jobKindText({ kind }: Pick<Job, "kind">): string {
  return KINDS[kind] ?? kind;
}

/** The name of a job's object: its campaign, profile or check; empty where that is the fabric. */
export function subjectText({ subject: { name, campaign, profile, version, check, date } }: Job): string {
  if (campaign) return String(name ?? campaign);
  if (check) return date ? `${check}, ${date}` : String(check);
  return profile ? (version ? `${profile}, version ${version}` : String(profile)) : "";
}

/** The progress of a job, or why it failed. */
export function progressText({ problem, progress, state, not_before }: Job): string {
  if (problem) return problem;
  if (state === "done") return "";
  if (not_before && state === "queued" && secondsUntil(not_before) > 0) return `waits until ${dateTime(not_before)}`;
  const share = progress.total ? `${progress.done} of ${progress.total}` : "";
  return [share, progress.text].filter(Boolean).join(", ");
}
