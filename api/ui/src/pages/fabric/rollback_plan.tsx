// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The plan of a rollback: what the former base changes on which devices. */

import { useRollbackPlan } from "@/api/queries/fabrics";
import type { FabricState } from "@/api/types";
import { QueryView } from "@/components/query_view";
import { profileName } from "@/format/profile_name";
import { PlanView } from "@/pages/promote/plan_view";

export function RollbackPlan({ state }: { state: FabricState }) {
  const plan = useRollbackPlan(state);
  return (
    <QueryView query={plan}>
      {(known) => (
        <PlanView fabric={state.fabric} plan={known}>
          From {profileName(known.current)} to {profileName(known.wanted)}
        </PlanView>
      )}
    </QueryView>
  );
}
