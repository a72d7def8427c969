// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A campaign and its progress. */

import { Link } from "react-router";
import type { Campaign } from "@/api/types";
import { Progress } from "@/components/progress";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { secondsUntil } from "@/format/time";

export function CampaignCard({ campaign }: { campaign: Campaign }) {
  return (
    <article className="panel stack tight">
      <div className="row ends">
        <h3>
          <Link to={`/campaigns/${campaign.id}`}>{campaign.name}</Link>
        </h3>
        <Tag state={campaign.state} />
      </div>
      <Progress done={campaign.trials_done} total={campaign.trials_total} label={`Trials of ${campaign.name}`} />
      <div className="row ends small soft">
        <span>
          {campaign.trials_done} of {campaign.trials_total} trials
          {campaign.resumes_at && secondsUntil(campaign.resumes_at) > 0 && (
            <>
              , continues <Ago at={campaign.resumes_at} />
            </>
          )}
        </span>
        <span>
          on {campaign.fabric}, <Ago at={campaign.ended_at ?? campaign.started_at ?? campaign.created_at} />
        </span>
      </div>
    </article>
  );
}
