// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** How it stands, on one page: each fabric's health and drift, and the campaigns under way. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useCampaigns } from "@/api/queries/campaigns";
import { useFabrics } from "@/api/queries/fabrics";
import { hasEnded, useJobs } from "@/api/queries/jobs";
import { useMay } from "@/api/queries/session";
import { CampaignCard } from "@/pages/overview/campaign_card";
import { FabricCard } from "@/pages/overview/fabric_card";
import { Asked } from "@/parts/asked";
import { PageHead } from "@/parts/page_head";
import { Tag } from "@/parts/tag";
import { Ago } from "@/parts/time";
import { progressText } from "@/words/job";

const UNDER_WAY = new Set(["queued", "running", "waiting", "pausing", "paused"]);

export default function Overview() {
  const fabrics = useFabrics();
  const campaigns = useCampaigns();
  const may = useMay("operator");
  return (
    <div className="stack">
      <PageHead title="Overview">
        {may && (
          <Button component={Link} to="/campaigns/new">
            New campaign
          </Button>
        )}
      </PageHead>
      <section className="stack" aria-labelledby="fabrics">
        <h2 id="fabrics">Fabrics</h2>
        <Asked query={{ ...fabrics, data: fabrics.items }}>
          {(items) =>
            items.length === 0 ? (
              <div className="empty">
                No fabric yet. An administrator adds one under <Link to="/settings?tab=fabrics">Settings</Link>.
              </div>
            ) : (
              <div className="cards">
                {items.map((fabric) => (
                  <FabricCard key={fabric.name} fabric={fabric} />
                ))}
              </div>
            )
          }
        </Asked>
      </section>
      <section className="stack" aria-labelledby="campaigns">
        <h2 id="campaigns">Campaigns</h2>
        <Asked query={{ ...campaigns, data: campaigns.items }}>
          {(items) => {
            const shown = items.filter(({ state }) => UNDER_WAY.has(state));
            const recent = items.filter(({ state }) => !UNDER_WAY.has(state)).slice(0, Math.max(0, 3 - shown.length));
            const cards = [...shown, ...recent];
            return cards.length === 0 ? (
              <div className="empty">
                No campaign yet. A campaign searches for the settings that cure a workload.{" "}
                {may && <Link to="/campaigns/new">Start the first one</Link>}
              </div>
            ) : (
              <div className="cards">
                {cards.map((campaign) => (
                  <CampaignCard key={campaign.id} campaign={campaign} />
                ))}
              </div>
            );
          }}
        </Asked>
      </section>
      <RecentJobs />
    </div>
  );
}

function RecentJobs() {
  const jobs = (useJobs().items ?? []).slice(0, 6);
  if (jobs.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="jobs">
      <div className="row ends">
        <h2 id="jobs">Latest jobs</h2>
        <Link to="/events?tab=jobs">All jobs</Link>
      </div>
      <ul className="plain-list">
        {jobs.map((job) => (
          <li key={job.id} className="row">
            <Tag state={job.state} /> {job.kind}
            <span className="soft small">
              {job.fabric && `on ${job.fabric}, `}by {job.created_by}, <Ago at={job.created_at} />
            </span>
            <span className="small">{hasEnded(job) ? job.problem : progressText(job)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
