// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan: which devices would get which attributes, and how many MADs. */

import { Button } from "@mantine/core";
import type { Plan } from "@/api/types";
import { Notice } from "@/components/notice";
import { profileName } from "@/format/profile_name";
import { count } from "@/format/quantity";
import { PlanTable } from "@/pages/promote/plan_table";

interface Props {
  fabric: string;
  plan: Plan;
  /** Name of the base during a trial run, whose profile the plan begins with; null without one. */
  base: string | null;
  busy: boolean;
  onAgain: () => void;
}

export function PlanPanel({ fabric, plan, base, busy, onAgain }: Props) {
  const { totals } = plan;
  return (
    <section className="stack" aria-labelledby="plan">
      <div className="row ends">
        <h2 id="plan">The plan</h2>
        <Button size="xs" variant="default" loading={busy} onClick={onAgain}>
          Plan again
        </Button>
      </div>
      <p>
        From {profileName(plan.current)} to {profileName(plan.wanted)}:{" "}
        <strong>
          {count(totals.mads, "MAD")} to {count(totals.devices, "device")}
        </strong>
        {(totals.unknown ?? 0) > 0 && ` (the tables of ${count(totals.unknown ?? 0, "device")} are unknown)`}.
      </p>
      {base && (
        <p className="soft">
          A trial run is in force, and the plan begins with its profile. The base is {base}: devices get it back at the end of the
          trial run, unless this profile is promoted.
        </p>
      )}
      {(plan.warnings?.length ?? 0) > 0 && (
        <Notice kind="warn">
          <ul>
            {plan.warnings?.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Notice>
      )}
      <PlanTable fabric={fabric} plan={plan} />
    </section>
  );
}
