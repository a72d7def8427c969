// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The list of campaigns. */

import { Button, Select } from "@mantine/core";
import { Link, useSearchParams } from "react-router";
import { useCampaigns } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import type { Campaign, CampaignState } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { PageHead } from "@/components/page_head";
import { Progress } from "@/components/progress";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";

/** Each state once, which the compiler compares with the service's OpenAPI. */
const STATES: Record<CampaignState, true> = {
  draft: true,
  queued: true,
  running: true,
  waiting: true,
  pausing: true,
  paused: true,
  finished: true,
  failed: true,
  stopped: true,
};

const COLUMNS: Column<Campaign>[] = [
  {
    key: "name",
    title: "Name",
    head: true,
    value: (row) => row.name,
    show: (row) => <Link to={`/campaigns/${row.id}`}>{row.name}</Link>,
  },
  { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag state={row.state} /> },
  { key: "fabric", title: "Fabric", value: (row) => row.fabric },
  {
    key: "trials_done",
    title: "Trials",
    value: (row) => row.trials_done,
    show: (row) => (
      <div className="trials-cell">
        {row.trials_done} of {row.trials_total}
        <Progress done={row.trials_done} total={row.trials_total} label={`Trials of ${row.name}`} />
      </div>
    ),
  },
  { key: "created_by", title: "By", value: (row) => row.created_by },
  { key: "created_at", title: "Created", value: (row) => row.created_at, show: (row) => <Ago at={row.created_at} /> },
];

export default function Campaigns() {
  const [search, setSearch] = useSearchParams();
  const state = search.get("state") ?? "";
  const campaigns = useCampaigns({ state: state || undefined });
  const may = useMay("operator");
  return (
    <div className="stack">
      <PageHead title="Campaigns">
        <Select
          aria-label="State"
          data={[{ value: "", label: "All states" }, ...Object.keys(STATES)]}
          value={state}
          onChange={(value) => setSearch(value ? { state: value } : {})}
        />
        {may && (
          <Button component={Link} to="/campaigns/new">
            New campaign
          </Button>
        )}
      </PageHead>
      <p className="soft prose">
        A campaign searches for the profile that best cures a workload, confirms what it found with fresh seeds, and recommends
        one profile.
      </p>
      <QueryView query={{ ...campaigns, data: campaigns.items }} rows={6}>
        {(items) => (
          <>
            <DataTable
              caption="Campaigns"
              columns={COLUMNS}
              rows={items}
              rowKey={(row) => row.id}
              file="campaigns"
              empty={state ? `No campaign is ${state}.` : "No campaign yet."}
            />
            {campaigns.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => campaigns.fetchNextPage()}>
                Load more campaigns
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}
