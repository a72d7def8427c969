// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A new campaign: from a template, from another campaign's document, or from a document of one's own. */

import "@/pages/campaigns/campaigns.css";
import { useSearchParams } from "react-router";
import { useCampaign, useTemplates } from "@/api/queries/campaigns";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { CampaignWizard } from "@/pages/campaigns/campaign_wizard";
import { asStored, fromTemplate, ownDocument } from "@/pages/campaigns/wizard_start";

export default function NewCampaign() {
  const templates = useTemplates();
  const [search] = useSearchParams();
  const from = search.get("from") ?? "";
  const original = useCampaign(from);
  return (
    <div className="stack">
      <PageHead title="New campaign" crumbs={[{ to: "/campaigns", text: "Campaigns" }]} />
      <QueryView query={templates} rows={8}>
        {(known) => {
          const [first] = known;
          if (from === "") {
            const start = first && !search.has("own") ? fromTemplate(first) : ownDocument();
            return <CampaignWizard templates={known} start={start} />;
          }
          return (
            <QueryView query={original} rows={8}>
              {(campaign) => <CampaignWizard templates={known} start={{ ...asStored(campaign), name: "", fabric: null }} />}
            </QueryView>
          );
        }}
      </QueryView>
    </div>
  );
}
