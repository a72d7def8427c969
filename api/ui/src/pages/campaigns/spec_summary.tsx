// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A summary of a campaign document: workloads, parameters, objectives and constraints. */

import type { CampaignPlan } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { titleOf } from "@/format/quantity";
import { duration } from "@/format/time";
import { namesIn, rangeOf, settingsOf } from "@/pages/campaigns/spec";

interface Props {
  spec: Record<string, unknown>;
  fabric: string;
  /** What follows from the fabric's devices where the document does not say it. */
  plan?: CampaignPlan | undefined;
}

export function SpecSummary({ spec, fabric, plan }: Props) {
  const settings = settingsOf(spec);
  const first = [...(settings.suggestion ? ["suggested profile"] : []), ...namesIn(spec, "start_from")];
  const space = Object.entries((spec.space as Record<string, unknown> | undefined) ?? plan?.space ?? {});
  const published = plan?.published ?? "that of the devices";
  return (
    <div className="halves">
      <section className="panel stack" aria-label="Summary">
        <Facts
          facts={[
            ["Fabric", fabric],
            ["Workloads", namesIn(spec, "workloads").join(", ")],
            ["Base profile", String(spec.base ?? published)],
            ["Compared with", [spec.baseline ?? "off", spec.expert ?? published].join(", ")],
            ["Objectives", namesIn(spec, "objectives").map(titleOf).join(", ")],
            ["Constraints", namesIn(spec, "constraints").map(titleOf).join(", ") || "–"],
            ["Measured first", first.join(", ") || "–"],
            ["Trials", `${settings.trials}${settings.time_s === null ? "" : `, or ${duration(settings.time_s)}`}`],
            ["Seeds", settings.seeds.join(", ")],
            ["Time scale", `${settings.time_scale}, of the confirmation ${settings.confirmation_scale}`],
            ["Sampler", settings.sampler],
          ]}
        />
      </section>
      <section className="stack" aria-label="Search space">
        <DataTable
          caption="Search space"
          columns={[
            { key: "field", title: "Parameter", head: true, value: ([field]) => field, show: ([field]) => <code>{field}</code> },
            { key: "range", title: "Range", value: ([, domain]) => rangeOf(domain) },
          ]}
          rows={space}
          rowKey={([field]) => field}
          empty="The search space is empty."
        />
      </section>
    </div>
  );
}
