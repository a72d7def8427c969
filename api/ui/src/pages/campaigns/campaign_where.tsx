// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan of a campaign as it is stored: the hosts of its workloads, and what was told of its cost before the start. */

import { useStoredPlan } from "@/api/queries/campaigns";
import type { Campaign } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { duration } from "@/format/time";
import { Plan } from "@/pages/campaigns/where";

export function CampaignWhere({ campaign }: { campaign: Campaign }) {
  const plan = useStoredPlan(campaign);
  return (
    <QueryView query={plan} rows={10}>
      {(known) => (
        <div className="stack">
          <p className="small soft">
            {campaign.state === "draft"
              ? "These hosts are kept until the draft is changed."
              : "The hosts were chosen when the campaign was made; later changes of the fabric do not move them."}{" "}
            The cost is an estimate for the whole campaign, at the speed of the service's machine now.
            {campaign.elapsed_s > 0 && ` So far the search took ${duration(campaign.elapsed_s)}.`}
          </p>
          <Plan {...known} stored />
        </div>
      )}
    </QueryView>
  );
}
