// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The list of campaigns. */

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useCampaigns } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import type { Campaign, CampaignState } from "@/api/types";
import { useAddress, useTyped } from "@/components/address";
import { type Column, DataTable } from "@/components/data_table";
import { PageHead } from "@/components/page_head";
import { Progress } from "@/components/progress";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { ChosenCampaigns } from "@/pages/campaigns/chosen_campaigns";

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

function tick(chosen: string[], choose: (id: string) => void): Column<Campaign> {
  return {
    key: "choose",
    title: "",
    value: () => null,
    show: ({ id, name }) => (
      <Checkbox size="xs" aria-label={`Choose ${name}`} checked={chosen.includes(id)} onChange={() => choose(id)} />
    ),
  };
}

function emptyText(state: string, wanted: string, archived: boolean): string {
  if (wanted || state) return "No campaign passes the filter.";
  return archived ? "The archive is empty." : "No campaign yet.";
}

export default function Campaigns() {
  const address = useAddress();
  const state = address.get("state");
  const archived = address.get("archived") === "true";
  const typed = useTyped(address, "search");
  const wanted = typed.settled.trim();
  const campaigns = useCampaigns({ state: state || undefined, search: wanted || undefined, archived });
  const may = useMay("operator");
  const [chosen, setChosen] = useState<string[]>([]);
  const choose = (id: string) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <div className="stack">
      <PageHead title="Campaigns">
        <Select
          aria-label="State"
          data={[{ value: "", label: "All states" }, ...Object.keys(STATES)]}
          value={state}
          onChange={(value) => address.set({ state: value })}
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
      <div className="row ends">
        <TextInput
          aria-label="Search campaigns"
          placeholder="Name, fabric, template or author"
          type="search"
          w="20rem"
          maw="100%"
          maxLength={100}
          value={typed.value}
          onChange={(event) => typed.type(event.currentTarget.value)}
        />
        <Checkbox
          label="Show the archive"
          checked={archived}
          onChange={(event) => {
            setChosen([]);
            address.set({ archived: event.currentTarget.checked ? "true" : null });
          }}
        />
      </div>
      <QueryView query={{ ...campaigns, data: campaigns.items }} rows={6}>
        {(items) => (
          <>
            {may && items.length > 1 && chosen.length < items.length && (
              <button type="button" className="plain-link small" onClick={() => setChosen(items.map(({ id }) => id))}>
                Choose all {items.length} below
              </button>
            )}
            <ChosenCampaigns campaigns={items.filter(({ id }) => chosen.includes(id))} onDone={() => setChosen([])} />
            <DataTable
              caption="Campaigns"
              columns={may ? [tick(chosen, choose), ...COLUMNS] : COLUMNS}
              rows={items}
              rowKey={(row) => row.id}
              file="campaigns"
              empty={emptyText(state, wanted, archived)}
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
