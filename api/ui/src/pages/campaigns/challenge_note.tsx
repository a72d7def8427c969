// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a challenge of the recommendation found: whether it holds in its region, and where it does worst. */

import { useChallenge } from "@/api/queries/campaigns";
import type { Campaign } from "@/api/types";
import { JobProgress } from "@/components/job_progress";
import { Notice } from "@/components/notice";

export function ChallengeNote({ campaign }: { campaign: Campaign }) {
  const { data } = useChallenge(campaign.id);
  if (!data) return null;
  const { outcome, job } = data;
  return (
    <>
      {job && <JobProgress id={job} what="Challenge of the recommendation" />}
      {outcome &&
        (outcome.holds ? (
          <p>Challenged: {told(outcome)}</p>
        ) : (
          <Notice kind="warn">
            <p>{told(outcome)}</p>
          </Notice>
        ))}
    </>
  );
}

/** The outcome, and what the next campaign should have; challenges of an earlier release say the first alone. */
function told({ sentence, next_step }: Record<string, unknown>): string {
  return [sentence, next_step].filter(Boolean).join(" ");
}
