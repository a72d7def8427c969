// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan: which devices would get which attributes, and how many MADs, against the base. */

import { Button } from "@mantine/core";
import type { Plan } from "@/api/types";
import { Notice } from "@/components/notice";
import { profileName } from "@/format/profile_name";
import { PlanTable } from "@/pages/promote/plan_table";
import { SentNow, totalsText } from "@/pages/promote/plan_words";

interface Props {
  fabric: string;
  plan: Plan;
  busy: boolean;
  onAgain: () => void;
}

export function PlanPanel({ fabric, plan, busy, onAgain }: Props) {
  return (
    <section className="stack" aria-labelledby="plan">
      <div className="row ends">
        <h2 id="plan">The plan</h2>
        <Button size="xs" variant="default" loading={busy} onClick={onAgain}>
          Plan again
        </Button>
      </div>
      <p>
        From the base {profileName(plan.current)} to {profileName(plan.wanted)}: <strong>{totalsText(plan.totals)}</strong>.
      </p>
      <SentNow fabric={fabric} plan={plan} />
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
