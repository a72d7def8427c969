// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Applies a profile to a fabric for a limited time. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useApply } from "@/api/queries/fabrics";
import type { Job, Plan } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { duration } from "@/format/time";
import { PlanView } from "@/pages/promote/plan_view";

interface Props {
  fabric: string;
  profile: string;
  version: number;
  plan: Plan;
  /** True while another plan is made. */
  planning: boolean;
  /** Name of the base to which devices return. */
  base: string | null;
}

const TIMES_S = [60, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 86400];

export function ApplyPanel({ fabric, profile, version, plan, planning, base }: Props) {
  const [ttl, setTtl] = useState("600");
  const [job, setJob] = useState<Job | null>(null);
  const apply = useApply(fabric);
  const [asking, setAsking] = useState(false);
  // What devices hold now counts, not the base.
  const sent = plan.now ?? plan;
  const start = () =>
    apply.mutate(
      { profile, version, ttl_s: Number(ttl) },
      {
        onSuccess: (begun) => {
          setJob(begun);
          setAsking(false);
        },
      },
    );
  return (
    <section className="panel stack" aria-labelledby="try">
      <h2 id="try">Trial run</h2>
      <p>
        A trial run ends automatically, and all devices get {base === null ? "what they held as found" : "the base profile"} back.
        The button in the red banner ends it sooner.
      </p>
      <div className="row bottom">
        <Select
          label="Ends after"
          data={TIMES_S.map((seconds) => ({ value: String(seconds), label: duration(seconds) }))}
          value={ttl}
          onChange={(value) => setTtl(value ?? "600")}
        />
        <Button onClick={() => setAsking(true)}>Apply for {duration(Number(ttl))}…</Button>
      </div>
      <Confirm
        opened={asking}
        title={`Apply ${profile} to ${fabric}?`}
        action={`Apply for ${duration(Number(ttl))}`}
        danger
        wide
        busy={apply.isPending || planning}
        error={apply.error}
        onConfirm={start}
        onClose={() => setAsking(false)}
      >
        <PlanView fabric={fabric} plan={{ ...plan, ...sent, now: null }}>
          {profile}, version {version}, is sent to the devices of {fabric} now
        </PlanView>
        <p>
          After {duration(Number(ttl))} they get {base === null ? "what they held as found" : `the base ${base}`} back.
        </p>
      </Confirm>
      {job && <JobProgress key={job.id} id={job.id} what={`Apply ${profile} to ${fabric}`} />}
    </section>
  );
}
