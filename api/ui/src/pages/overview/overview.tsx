// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The health and drift of each fabric, the last verdict of each check, unfinished campaigns and the latest jobs, on one page. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useCampaigns } from "@/api/queries/campaigns";
import { useChecks } from "@/api/queries/checks";
import { useFabrics } from "@/api/queries/fabrics";
import { hasEnded, useJobs } from "@/api/queries/jobs";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { JobSubject } from "@/components/job_subject";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { progressText, subjectText } from "@/format/job";
import { NoCheck } from "@/pages/checks/no_check";
import { worstFirst } from "@/pages/checks/verdict";
import { CampaignCard } from "@/pages/overview/campaign_card";
import { CheckCard } from "@/pages/overview/check_card";
import { FabricCard } from "@/pages/overview/fabric_card";
import { WaitingApprovals } from "@/pages/overview/waiting_approvals";

/** A draft has no job yet. */
function isUnfinished({ job, ended_at }: Campaign): boolean {
  return job !== null && ended_at === null;
}

export default function Overview() {
  const fabrics = useFabrics();
  const campaigns = useCampaigns();
  const may = useMay("operator");
  const admin = useMay("admin");
  return (
    <div className="stack">
      <PageHead title="Overview">
        {may && (
          <Button component={Link} to="/campaigns/new">
            New campaign
          </Button>
        )}
      </PageHead>
      <WaitingApprovals />
      <section className="stack" aria-labelledby="fabrics">
        <div className="row ends">
          <h2 id="fabrics">Fabrics</h2>
          {admin && <Link to="/fabrics/import">Import a fabric</Link>}
        </div>
        <QueryView query={{ ...fabrics, data: fabrics.items }}>
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
        </QueryView>
      </section>
      <ChecksSection />
      <section className="stack" aria-labelledby="campaigns">
        <h2 id="campaigns">Campaigns</h2>
        <QueryView query={{ ...campaigns, data: campaigns.items }}>
          {(items) => {
            const shown = items.filter(isUnfinished);
            const recent = items.filter((one) => !isUnfinished(one)).slice(0, Math.max(0, 3 - shown.length));
            const cards = [...shown, ...recent];
            return cards.length === 0 ? (
              <div className="empty">
                No campaign yet. A campaign searches for the profile that best cures a workload.{" "}
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
        </QueryView>
      </section>
      <RecentJobs />
    </div>
  );
}

function ChecksSection() {
  const checks = useChecks();
  const may = useMay("operator");
  return (
    <section className="stack" aria-labelledby="checks">
      <div className="row ends">
        <h2 id="checks">Nightly checks</h2>
        <Link to="/checks">All checks</Link>
      </div>
      <QueryView query={{ ...checks, data: checks.items }}>
        {(items) =>
          items.length === 0 ? (
            <div className="empty">
              <NoCheck may={may} />
            </div>
          ) : (
            <div className="cards">
              {worstFirst(items).map((check) => (
                <CheckCard key={check.name} check={check} />
              ))}
            </div>
          )
        }
      </QueryView>
    </section>
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
            <Tag state={job.state} /> {job.title} <JobSubject job={job} />
            <span className="soft small">
              {job.fabric && job.fabric !== subjectText(job) && `on ${job.fabric}, `}by {job.created_by},{" "}
              <Ago at={job.created_at} />
            </span>
            <span className="small">{hasEnded(job) ? job.problem : progressText(job)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
