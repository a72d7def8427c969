// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A plan in a dialog: what it changes as a sentence, what is sent now where that differs, and its devices. */

import type { ReactNode } from "react";
import type { Plan } from "@/api/types";
import { PlanTable } from "@/pages/promote/plan_table";
import { SentNow, totalsText } from "@/pages/promote/plan_words";

interface Props {
  fabric: string;
  plan: Plan;
  /** What the reader is about to do, as the beginning of a sentence that says what it ends. */
  doing?: string;
  /** Beginning of the sentence, which the totals end. */
  children: ReactNode;
}

export function PlanView({ fabric, plan, doing, children }: Props) {
  return (
    <>
      <p>
        {children}: <strong>{totalsText(plan.totals)}</strong>.
      </p>
      <SentNow fabric={fabric} plan={plan} doing={doing} />
      <details>
        <summary>The plan by device</summary>
        <PlanTable fabric={fabric} plan={plan} />
      </details>
    </>
  );
}
