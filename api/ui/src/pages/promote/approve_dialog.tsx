// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Asks an approver: the plan as it is now, what is known of the profile, what differs from the base, and a tick that all were read. */

import { Checkbox, Textarea } from "@mantine/core";
import { useEffect, useState } from "react";
import { useDecide, usePromotionPlan } from "@/api/queries/promotions";
import type { Promotion } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { profileName } from "@/format/profile_name";
import { DiffPanel } from "@/pages/profiles/diff_panel";
import { AskAgain } from "@/pages/promote/ask_again";
import { Evidence } from "@/pages/promote/evidence";
import { PlanView } from "@/pages/promote/plan_view";

interface Props {
  promotion: Promotion;
  opened: boolean;
  onClose: () => void;
}

export function ApproveDialog({ promotion, opened, onClose }: Props) {
  const { fabric, profile, version } = promotion;
  const plan = usePromotionPlan(opened ? promotion.id : "");
  const decide = useDecide();
  const [comment, setComment] = useState("");
  const [sure, setSure] = useState(false);
  // A new plan needs a new confirmation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest stands for the plan
  useEffect(() => setSure(false), [plan.data?.digest, opened]);
  const changed = promotion.state === "outdated" || (plan.data !== undefined && plan.data.digest !== promotion.plan_digest);
  return (
    <Confirm
      opened={opened}
      title={`Approve ${profile} on ${fabric}?`}
      action="Approve"
      danger
      wide
      busy={decide.isPending}
      pointless={!sure || changed || !plan.data}
      error={decide.error}
      onConfirm={() => decide.mutate({ id: promotion.id, decision: "approve", comment }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <QueryView query={plan}>
        {(known) => (
          <>
            <PlanView fabric={fabric} plan={known} doing="approving">
              {promotion.created_by} asks for <strong>{profileName(known.wanted)}</strong>{" "}
              {known.current ? (
                <>
                  in place of <strong>{profileName(known.current)}</strong>
                </>
              ) : (
                "as the first base profile"
              )}
            </PlanView>
            {promotion.comment && <p className="breaking">“{promotion.comment}”</p>}
            {changed && (
              <Notice kind="warn" title="The plan has changed">
                <p>It is not the one that was asked for: {promotion.problem ?? "the base or the fabric has changed"}.</p>
                <AskAgain promotion={promotion} onDone={onClose} />
              </Notice>
            )}
            <Evidence id={promotion.id} />
            <details open>
              <summary>Differences from the base</summary>
              {known.current?.version ? (
                <DiffPanel
                  name={known.current.name}
                  query={{ from: known.current.version, to: version, other: profile }}
                  fromName={profileName(known.current)}
                  toName={profileName(known.wanted)}
                  nameToo={false}
                />
              ) : (
                <p className="soft">
                  {known.current
                    ? "The base is not a profile of the service, so it cannot be compared here."
                    : `${fabric} has no base profile yet, so there is nothing to compare with.`}
                </p>
              )}
            </details>
          </>
        )}
      </QueryView>
      <Textarea
        label="Comment"
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Checkbox
        label={`I have read the plan and want to apply it to ${fabric}.`}
        checked={sure}
        disabled={changed || !plan.data}
        onChange={(event) => setSure(event.currentTarget.checked)}
      />
    </Confirm>
  );
}
