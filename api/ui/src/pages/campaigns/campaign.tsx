// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** One campaign: its progress, its result, and its trials. Updated live while it runs. */

import "@/pages/campaigns/campaigns.css";
import { Tabs } from "@mantine/core";
import { useParams } from "react-router";
import { useLive } from "@/api/events";
import { useCampaign } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { AddressTabs } from "@/components/address_tabs";
import { PageHead } from "@/components/page_head";
import { Progress } from "@/components/progress";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago, useNow } from "@/components/time";
import { duration, secondsUntil } from "@/format/time";
import { CampaignActions } from "@/pages/campaigns/campaign_actions";
import { CampaignDocument } from "@/pages/campaigns/campaign_document";
import { CampaignExplore } from "@/pages/campaigns/campaign_explore";
import { CampaignFront } from "@/pages/campaigns/campaign_front";
import { CampaignImportance } from "@/pages/campaigns/campaign_importance";
import { CampaignNotice, OutdatedNotice } from "@/pages/campaigns/campaign_notice";
import { CampaignOutcome } from "@/pages/campaigns/campaign_outcome";
import { CampaignTrials } from "@/pages/campaigns/campaign_trials";
import { CampaignWhere } from "@/pages/campaigns/campaign_where";
import { leftOf } from "@/pages/campaigns/phase_progress";
import { StoredSummary } from "@/pages/campaigns/stored_summary";
import { LowCapacity } from "@/pages/fabric/low_capacity";

export default function CampaignPage() {
  const { id = "" } = useParams();
  const campaign = useCampaign(id);
  const link = useLive([`campaign:${id}`], [["campaigns", id]]);
  const may = useMay("operator");
  return (
    <div className="stack">
      <PageHead
        title={campaign.data?.name ?? "Campaign"}
        crumbs={[{ to: "/campaigns", text: "Campaigns" }]}
        beside={
          campaign.data && (
            <>
              <Tag state={campaign.data.state} />
              {campaign.data.archived && <Tag state="archived" />}
            </>
          )
        }
      >
        {campaign.data && <CampaignActions campaign={campaign.data} />}
      </PageHead>
      <QueryView query={campaign} rows={12}>
        {(known) => (
          <>
            <Headline campaign={known} live={link === "live"} />
            <CampaignOutcome campaign={known} />
            <AddressTabs first="search">
              <Tabs.List>
                <Tabs.Tab value="search">Search</Tabs.Tab>
                <Tabs.Tab value="explore">Explore</Tabs.Tab>
                <Tabs.Tab value="trials">Trials</Tabs.Tab>
                {may && <Tabs.Tab value="where">Where</Tabs.Tab>}
                <Tabs.Tab value="settings">Settings</Tabs.Tab>
                <Tabs.Tab value="document">Document</Tabs.Tab>
              </Tabs.List>
              <Tabs.Panel value="search" pt="md">
                <div className="stack">
                  <CampaignFront id={id} />
                  <CampaignImportance id={id} />
                </div>
              </Tabs.Panel>
              <Tabs.Panel value="explore" pt="md">
                <CampaignExplore id={id} />
              </Tabs.Panel>
              <Tabs.Panel value="trials" pt="md">
                <CampaignTrials id={id} name={known.name} />
              </Tabs.Panel>
              {may && (
                <Tabs.Panel value="where" pt="md">
                  <CampaignWhere campaign={known} />
                </Tabs.Panel>
              )}
              <Tabs.Panel value="settings" pt="md">
                <StoredSummary campaign={known} />
              </Tabs.Panel>
              <Tabs.Panel value="document" pt="md">
                <CampaignDocument campaign={known} />
              </Tabs.Panel>
            </AddressTabs>
          </>
        )}
      </QueryView>
    </div>
  );
}

const PHASES: Record<string, string> = {
  references: "Measuring the reference profiles",
  search: "Searching",
  confirmation: "Confirming with fresh seeds",
};

function Headline({ campaign, live }: { campaign: Campaign; live: boolean }) {
  const running = campaign.state === "running" || campaign.state === "pausing";
  const now = useNow(running ? 1000 : 60_000);
  const begun = campaign.started_at;
  const end = campaign.ended_at ?? new Date(now).toISOString();
  const spent = begun && campaign.state !== "waiting" ? duration(secondsUntil(end, new Date(begun).getTime())) : null;
  return (
    <section className="stack tight" aria-label="Progress">
      {running && campaign.progress && campaign.phase !== "search" ? (
        <Progress done={campaign.progress.done} total={campaign.progress.total} label="Runs" />
      ) : (
        <Progress done={campaign.trials_done} total={campaign.trials_total} label="Trials" />
      )}
      <div className="row ends small">
        <span aria-live="polite">
          {running && campaign.phase && `${PHASES[campaign.phase] ?? campaign.phase}: `}
          {campaign.trials_done} of {campaign.trials_total} trials{spent && `, ${spent}`}
          {running && leftOf(campaign)}
        </span>
        <span className="soft">
          on {campaign.fabric}, by {campaign.created_by}, <Ago at={campaign.created_at} />
          {running && (live ? " · live" : " · updated every 20 s")}
        </span>
      </div>
      <CampaignNotice campaign={campaign} />
      <OutdatedNotice campaign={campaign} />
      <LowCapacity capacity={campaign.capacity} />
    </section>
  );
}
