// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan of a rollback: what the former base changes on which devices. */

import { usePlan } from "@/api/queries/fabrics";
import type { FabricState } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { profileName } from "@/format/profile_name";
import { PlanTable } from "@/pages/promote/plan_table";
import { totalsText } from "@/pages/promote/plan_words";

export function RollbackPlan({ fabric, state }: { fabric: string; state: FabricState }) {
  const former = state.former_profile;
  const version = former?.version ?? null;
  const plan = usePlan(version === null ? "" : fabric, former?.name ?? "", version);
  if (!former) return null;
  if (version === null) {
    return <p className="soft">{former.name} is not a profile of the service, so its plan cannot be shown.</p>;
  }
  return (
    <QueryView query={plan}>
      {(known) => (
        <>
          <p>
            From {profileName(known.current)} to {profileName(known.wanted)}: <strong>{totalsText(known.totals)}</strong>.
          </p>
          <details>
            <summary>The plan by device</summary>
            <PlanTable fabric={fabric} plan={known} />
          </details>
        </>
      )}
    </QueryView>
  );
}
