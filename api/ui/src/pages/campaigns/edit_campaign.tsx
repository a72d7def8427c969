// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Edits a draft where it is, in the same steps as a new campaign. */

import "@/pages/campaigns/campaigns.css";
import { useState } from "react";
import { Link, useParams } from "react-router";
import { useCampaign, useTemplates } from "@/api/queries/campaigns";
import type { Campaign, CampaignTemplate } from "@/api/types";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { CampaignWizard } from "@/pages/campaigns/campaign_wizard";
import { asStored } from "@/pages/campaigns/wizard_start";

export default function EditCampaign() {
  const { id = "" } = useParams();
  const campaign = useCampaign(id);
  const templates = useTemplates();
  const name = campaign.data?.name ?? "Campaign";
  return (
    <div className="stack">
      <PageHead
        title={`Edit ${name}`}
        crumbs={[
          { to: "/campaigns", text: "Campaigns" },
          { to: `/campaigns/${id}`, text: name },
        ]}
      />
      <QueryView query={templates} rows={8}>
        {(known) => (
          <QueryView query={campaign} rows={8}>
            {(draft) => <Edited draft={draft} templates={known} />}
          </QueryView>
        )}
      </QueryView>
    </div>
  );
}

function Edited({ draft, templates }: { draft: Campaign; templates: CampaignTemplate[] }) {
  // The draft with which editing began; a change that somebody else saves meanwhile must not slip in.
  const [begun] = useState(draft);
  if (!draft.actions.includes("change")) {
    return (
      <Notice kind="warn" title="This campaign cannot be changed">
        <p>
          {draft.state === "draft"
            ? "Operators may change drafts."
            : `Only drafts can be changed, and this campaign is ${draft.state}.`}{" "}
          <Link to={`/campaigns/new?from=${draft.id}`}>Begin a new campaign with its document</Link>
        </p>
      </Notice>
    );
  }
  return <CampaignWizard templates={templates} start={asStored(begun)} draft={begun} />;
}
