// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Why a campaign does not go on, and whether it does so by itself. */

import type { Campaign } from "@/api/types";
import { Notice } from "@/components/notice";
import { Ago, At } from "@/components/time";
import { secondsUntil } from "@/format/time";

export function CampaignNotice({ campaign: { state, problem, resumes_at } }: { campaign: Campaign }) {
  // What has finished without a recommendation says so where the recommendation would be.
  if (!problem || state === "finished") return null;
  const failed = state === "failed";
  return (
    <Notice kind={failed ? "bad" : "warn"} title={failed ? "It has failed" : `It is ${state}`}>
      <p>{problem}</p>
      {resumes_at && secondsUntil(resumes_at) > 0 && (
        <p>
          It goes on by itself <Ago at={resumes_at} />: <At at={resumes_at} />
        </p>
      )}
      {resumes_at && secondsUntil(resumes_at) <= 0 && <p>It goes on as soon as a worker is free.</p>}
    </Notice>
  );
}
