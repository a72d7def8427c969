// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Jobs as text. */

import type { Job } from "@/api/types";
import { dateTime, secondsUntil } from "@/format/time";

/** The name of a job's object: its campaign, import, profile, check or fabric. */
export function subjectText({ fabric, subject: { name, campaign, profile, version, check, date, nodes } }: Job): string {
  if (campaign) return String(name ?? campaign);
  if (name) return String(name);
  if (check) return date ? `${check}, ${date}` : String(check);
  if (profile) return version ? `${profile}, version ${version}` : String(profile);
  return nodes ? `${nodes} of ${fabric}` : (fabric ?? "");
}

/** A job in words: what it does, and with what. */
export function jobText(job: Job): string {
  const subject = subjectText(job);
  const where = job.fabric && job.fabric !== subject ? ` on ${job.fabric}` : "";
  return `${job.title}${subject && `, ${subject}`}${where}`;
}

/** The progress of a job, or why it failed. */
export function progressText({ problem, progress, state, not_before }: Job): string {
  if (problem) return problem;
  if (state === "done") return "";
  if (not_before && state === "queued" && secondsUntil(not_before) > 0) return `waits until ${dateTime(not_before)}`;
  const share = progress.total ? `${progress.done} of ${progress.total}` : "";
  return [share, progress.text].filter(Boolean).join(", ");
}
