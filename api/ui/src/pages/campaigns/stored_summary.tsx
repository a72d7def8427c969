// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The summary of a stored campaign: its document, and what followed from the fabric's devices where that leaves it open. */

import { useStoredPlan } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { SpecSummary } from "@/pages/campaigns/spec_summary";

export function StoredSummary({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator"); // who may read plans
  const plan = useStoredPlan(campaign, may && campaign.spec.space === undefined).data;
  return <SpecSummary spec={campaign.spec} fabric={campaign.fabric} plan={plan} />;
}
