// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A job's object as a link to its page. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Job } from "@/api/types";
import { subjectText } from "@/format/job";

export function JobSubject({ job }: { job: Job }) {
  const { campaign, import: draft, profile, version, check, date } = job.subject;
  const text = subjectText(job);
  const admin = useMay("admin"); // others may not see imports
  if (campaign) return <Link to={`/campaigns/${campaign}`}>{text}</Link>;
  if (draft && admin) return <Link to={`/fabrics/import/${draft}`}>{text}</Link>;
  if (check) return <Link to={`/checks/${encodeURIComponent(check)}${date ? `/nights/${date}` : ""}`}>{text}</Link>;
  if (profile) return <Link to={`/profiles/${encodeURIComponent(profile)}${version ? `?version=${version}` : ""}`}>{text}</Link>;
  if (job.fabric) return <Link to={`/fabrics/${encodeURIComponent(job.fabric)}`}>{text}</Link>;
  return text;
}
