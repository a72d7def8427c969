// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Says why a campaign does not run, and when it continues. */

import type { Campaign } from "@/api/types";
import { Notice } from "@/components/notice";
import { Ago, At } from "@/components/time";
import { secondsUntil } from "@/format/time";

/** Says that a campaign was measured under conditions that are others today. */
export function OutdatedNotice({ campaign: { name, outdated } }: { campaign: Campaign }) {
  if (!outdated) return null;
  return (
    <Notice kind="warn" title="Measured under other conditions">
      <p>
        Campaign {name} {outdated}. Clone it to search again.
      </p>
    </Notice>
  );
}

export function CampaignNotice({ campaign: { state, problem, resumes_at } }: { campaign: Campaign }) {
  // A finished campaign without a recommendation says so where the recommendation would be.
  if (!problem || state === "finished") return null;
  const failed = state === "failed";
  return (
    <Notice kind={failed ? "bad" : "warn"} title={`This campaign ${failed ? "has failed" : `is ${state}`}`}>
      <p>{problem}</p>
      {resumes_at && secondsUntil(resumes_at) > 0 && (
        <p>
          It continues automatically <Ago at={resumes_at} />: <At at={resumes_at} />
        </p>
      )}
      {resumes_at && secondsUntil(resumes_at) <= 0 && <p>It continues as soon as a worker is free.</p>}
    </Notice>
  );
}
