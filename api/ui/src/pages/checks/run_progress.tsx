// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The progress of a check that is at work, in a line. */

import { useJob } from "@/api/queries/jobs";
import type { Check } from "@/api/types";
import { Progress } from "@/components/progress";

export function RunProgress({ check }: { check: Check }) {
  const job = useJob(check.state === "idle" ? null : check.job).data;
  if (check.state === "idle" || !job) return null;
  const { done, total, text } = job.progress;
  return (
    <div className="stack tight small soft">
      {total !== null && total > 0 && <Progress done={done} total={total} label={`Night of ${check.name}`} />}
      {(check.problem ?? text) && <span className="breaking">{check.problem ?? text}</span>}
    </div>
  );
}
