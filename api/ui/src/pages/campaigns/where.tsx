// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Where a campaign's workloads run: which hosts have which role, what their paths share, how many there are, and the cost. */

import { NumberInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { Problem } from "@/api/problem";
import { useCampaignPlan } from "@/api/queries/campaigns";
import type { CampaignPlan, Cost, NewCampaign, PlannedWorkload, RoleCounts } from "@/api/types";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Words } from "@/components/words";
import { count, quantity } from "@/format/quantity";
import { duration } from "@/format/time";
import { PlacementMap } from "@/pages/campaigns/placement_map";
import { PlacementTable } from "@/pages/campaigns/placement_table";
import { asSentence } from "@/pages/profiles/parameter_input";
import { whyNone } from "@/pages/suggest/suggestion_query";

interface Props {
  campaign: NewCampaign;
  counts: RoleCounts | null;
  onCounts: (counts: RoleCounts | null) => void;
}

const TYPING_MS = 400;

export function Where({ campaign, counts, onCounts }: Props) {
  const [asked] = useDebouncedValue(campaign, TYPING_MS);
  const plan = useCampaignPlan(asked);
  const refused = plan.error instanceof Problem && plan.error.status < 500;
  return (
    <section className="stack" aria-label="Where">
      <h2>Where</h2>
      {refused ? (
        <>
          {counts && <Counts known={counts} counts={counts} onCounts={onCounts} />}
          <Notice kind="warn" title="Not on this fabric">
            <p>
              <Words of={whyNone(plan.error as Problem)} />
            </p>
          </Notice>
        </>
      ) : (
        <QueryView query={plan} rows={8}>
          {({ workloads, cost }) => (
            <>
              {workloads[0]?.counts && <Counts known={workloads[0].counts} counts={counts} onCounts={onCounts} />}
              <Plan workloads={workloads} cost={cost} />
            </>
          )}
        </QueryView>
      )}
    </section>
  );
}

/** The hosts of each workload, and the cost of all of it. `stored`: those of a campaign that has been made. */
export function Plan({ workloads, cost, stored = false }: Pick<CampaignPlan, "workloads" | "cost"> & { stored?: boolean }) {
  return (
    <>
      {workloads.map((one) => (
        <Placed key={one.workload} workload={one} stored={stored} />
      ))}
      <CostFacts cost={cost} />
    </>
  );
}

/** The cost of a campaign as it is now. */
export function CostOf({ campaign }: { campaign: NewCampaign }) {
  const plan = useCampaignPlan(campaign);
  if (plan.error instanceof Problem) return null;
  return (
    <QueryView query={plan} rows={3}>
      {({ cost }) => <CostFacts cost={cost} />}
    </QueryView>
  );
}

const FIELDS: [key: keyof RoleCounts, label: string, description: string, least: number][] = [
  ["contributors", "Contributors", "Hosts that send to the hotspot.", 1],
  ["victims", "Victims", "Pairs of hosts whose path shares a link with contributors.", 0],
  ["sharing", "Sharing", "Contributors on the first victim's link.", 0],
  ["hosts", "Hosts", "Most hosts that take part, spread over the fabric.", 3],
];

function Counts({ known, counts, onCounts }: { known: RoleCounts; counts: RoleCounts | null; onCounts: Props["onCounts"] }) {
  return (
    <div className="row bottom">
      {FIELDS.filter(([key]) => known[key] !== null && known[key] !== undefined).map(([key, label, description, least]) => (
        <NumberInput
          key={key}
          label={label}
          description={description}
          min={least}
          max={65536}
          allowDecimal={false}
          value={counts?.[key] ?? known[key] ?? least}
          onChange={(value) => {
            if (typeof value === "number" && value !== (counts?.[key] ?? known[key])) onCounts({ ...counts, [key]: value });
          }}
        />
      ))}
    </div>
  );
}

function Placed({ workload, stored }: { workload: PlannedWorkload; stored: boolean }) {
  const drawn = workload.groups === 1 && workload.shared.length > 0 && workload.flows_total === workload.flows.length;
  return (
    <div className="panel stack">
      <h3>{workload.workload}</h3>
      <p className="small soft">{wordsOf(workload, stored)}</p>
      {workload.fitted && <Notice kind="info">{asSentence(workload.fitted)}</Notice>}
      {drawn && <PlacementMap workload={workload} />}
      <details open={!drawn}>
        <summary>The hosts</summary>
        <PlacementTable workload={workload} />
      </details>
    </div>
  );
}

function wordsOf({ roles, placed, duration_s, hotspots }: PlannedWorkload, stored: boolean): string {
  const parts = [
    roles.contributor && count(roles.contributor, "contributor"),
    roles.victim && count(roles.victim, "victim"),
    roles.other && count(roles.other, "other flow"),
    hotspots.length > 0 && count(hotspots.length, "hotspot"),
  ].filter(Boolean);
  // A campaign stores the hosts that were chosen as those that its workloads name.
  const why = stored ? "" : ` hosts ${placed ? "chosen by the fabric's routes" : "those that the workload names"};`;
  return `${parts.join(", ")};${why} ${brief(duration_s)} a run.`;
}

/** Simulated times are often parts of a second. */
function brief(seconds: number): string {
  return seconds < 10 ? quantity(Number(seconds.toPrecision(2)), "s") : duration(seconds);
}

function CostFacts({ cost }: { cost: Cost }) {
  const at_once = cost.parallel > 1 ? `, ${cost.parallel} at a time` : "";
  const rate =
    cost.hops_per_cpu_s === null ? "" : `, at ${(cost.hops_per_cpu_s / 1e6).toPrecision(2)} million packet-hops a second`;
  const limit: [string, string][] =
    cost.search_s === null
      ? []
      : [["Search ends", `after ${duration(cost.search_s)} at the latest; the confirmation comes on top`]];
  return (
    <section aria-label="Cost">
      <Facts
        facts={[
          ["Runs", `about ${cost.runs}${at_once}`],
          ["Time on the fabric", brief(cost.simulated_s)],
          ["Processor time", cost.cpu_s === null ? "none here" : `about ${brief(cost.cpu_s)}${rate}`],
          ...limit,
        ]}
      />
    </section>
  );
}
