// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The document of a campaign, to read and to begin another one with. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { download } from "@/format/csv";
import { textOf } from "@/pages/campaigns/spec_text";

export function CampaignDocument({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const draft = campaign.state === "draft";
  const text = textOf(campaign.spec);
  return (
    <div className="stack">
      <YamlEditor
        kind="campaign"
        label="Document"
        description={
          draft
            ? "The campaign will run by this document."
            : "The campaign runs by this document, which can no longer be changed. It keeps copies of the profiles and workloads that it names."
        }
        value={text}
      />
      <div className="row">
        {campaign.actions.includes("change") && (
          <Button component={Link} to={`/campaigns/${campaign.id}/edit`}>
            Edit
          </Button>
        )}
        {may && (
          <Button variant="default" component={Link} to={`/campaigns/new?from=${campaign.id}`}>
            New campaign with this document
          </Button>
        )}
        <button type="button" className="plain-link small" onClick={() => download("campaign.yaml", text, "application/yaml")}>
          YAML
        </button>
      </div>
    </div>
  );
}
