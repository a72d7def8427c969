// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Why a campaign does not go on, and whether it does so by itself. */

import type { Campaign } from "@/api/shapes";
import { Notice } from "@/parts/notice";
import { Until } from "@/parts/time";

export function CampaignNotice({ campaign: { state, problem, resumes_at } }: { campaign: Campaign }) {
  if (state === "waiting") {
    return (
      <Notice kind="warn" title="It waits for its maintenance window">
        {problem}
        {resumes_at && (
          <p>
            It goes on by itself: <Until at={resumes_at} />
          </p>
        )}
      </Notice>
    );
  }
  // What has finished without a recommendation says so where the recommendation would be.
  if (!problem || state === "finished") return null;
  return state === "failed" ? (
    <Notice kind="bad" title="It has failed">
      {problem}
    </Notice>
  ) : (
    <Notice kind="warn" title={`It is ${state}`}>
      {problem}
    </Notice>
  );
}
