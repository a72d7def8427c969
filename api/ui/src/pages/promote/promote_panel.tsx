// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The promotion to production, for which the operator confirms the plan that is shown. */

import { Button, Checkbox, Textarea } from "@mantine/core";
import { useEffect, useState } from "react";
import { Problem } from "@/api/problem";
import { usePromote } from "@/api/queries/promotions";
import type { Plan, Promotion } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { Notice } from "@/components/notice";
import { profileName } from "@/format/profile_name";
import { count } from "@/format/quantity";
import { SentNow } from "@/pages/promote/plan_words";

interface Props {
  fabric: string;
  profile: string;
  version: number;
  plan: Plan;
  /** True if the fabric is known to have no base yet. */
  baseless: boolean;
  /** True if the fabric requires a second person; the service may require one for all fabrics. */
  secondPerson: boolean;
  onStale: () => void;
}

export function PromotePanel({ fabric, profile, version, plan, baseless, secondPerson, onStale }: Props) {
  const [comment, setComment] = useState("");
  const [asking, setAsking] = useState(false);
  const [sure, setSure] = useState(false);
  const [promotion, setPromotion] = useState<Promotion | null>(null);
  const promote = usePromote();
  // A new plan needs a new confirmation.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the digest stands for the plan
  useEffect(() => setSure(false), [plan.digest]);
  const stale = promote.error instanceof Problem && promote.error.status === 409;
  const confirm = () =>
    promote.mutate(
      { fabric, profile, version, plan_digest: plan.digest, comment },
      {
        onSuccess: (made) => {
          setPromotion(made);
          setAsking(false);
        },
        onError: (error) => {
          if (error instanceof Problem && error.status === 409) onStale();
        },
      },
    );
  return (
    <section className="panel stack" aria-labelledby="promote">
      <h2 id="promote">Promote to production</h2>
      <p>
        The profile becomes the base of {fabric}, which stays in force and to which trial runs return.{" "}
        {baseless ? "It is the first, so there is none before it to roll back to." : "It can be rolled back."}
      </p>
      {secondPerson && <p className="soft">Nothing is sent before another operator has approved it.</p>}
      <Textarea
        label="Comment"
        placeholder="Why?"
        autosize
        minRows={2}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <Button onClick={() => setAsking(true)}>Promote…</Button>
      {promotion && <Made promotion={promotion} />}
      <Confirm
        opened={asking}
        title={`Promote ${profile} on ${fabric}?`}
        action="Promote"
        danger
        busy={promote.isPending}
        error={promote.error}
        onClose={() => setAsking(false)}
        onConfirm={() => sure && confirm()}
      >
        <p>
          <strong>
            {count(plan.totals.mads, "MAD")} go to {count(plan.totals.devices, "device")}
          </strong>
          : from {profileName(plan.current)} to {profileName(plan.wanted)}.
        </p>
        <SentNow fabric={fabric} plan={plan} doing="the promotion" />
        {stale && (
          <Notice kind="warn">
            If the fabric has changed since this plan was shown, a new plan is being made: read it before you confirm.
          </Notice>
        )}
        <Checkbox
          label={`I have read the plan and want to apply it to ${fabric}.`}
          checked={sure}
          onChange={(event) => setSure(event.currentTarget.checked)}
          data-autofocus
        />
      </Confirm>
    </section>
  );
}

function Made({ promotion }: { promotion: Promotion }) {
  if (promotion.job) return <JobProgress id={promotion.job} what={`Promote ${promotion.profile} on ${promotion.fabric}`} />;
  return (
    <Notice kind="info">
      {promotion.needs
        ? `The promotion waits for ${promotion.needs}, under “Promotions” below.`
        : `The promotion is ${promotion.state}.`}
    </Notice>
  );
}
