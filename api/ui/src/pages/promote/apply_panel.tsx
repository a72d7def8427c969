// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Applies a profile to a fabric for a limited time. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useApply } from "@/api/queries/fabrics";
import type { Job } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice } from "@/components/notice";
import { duration } from "@/format/time";

interface Props {
  fabric: string;
  profile: string;
  version: number;
  /** True if devices are real: applying asks first. */
  real: boolean;
  experiment: { owner: string | null; ends_at: string | null } | null;
}

const TIMES_S = [60, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 86400];

export function ApplyPanel({ fabric, profile, version, real, experiment }: Props) {
  const [ttl, setTtl] = useState("600");
  const [job, setJob] = useState<Job | null>(null);
  const apply = useApply(fabric);
  const [asking, setAsking] = useState(false);
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
        A trial run ends automatically, and all devices get the base profile back. The button in the red banner ends it sooner.
      </p>
      {experiment && <p className="soft">{experiment.owner ?? "Somebody"} has a trial run on this fabric now.</p>}
      <div className="row bottom">
        <Select
          label="Ends after"
          data={TIMES_S.map((seconds) => ({ value: String(seconds), label: duration(seconds) }))}
          value={ttl}
          onChange={(value) => setTtl(value ?? "600")}
        />
        <Button loading={apply.isPending && !asking} onClick={() => (real ? setAsking(true) : start())}>
          Apply for {duration(Number(ttl))}
          {real && "…"}
        </Button>
      </div>
      {!asking && <ErrorNotice error={apply.error} title="Not applied" />}
      <Confirm
        opened={asking}
        title={`Apply ${profile} to ${fabric}?`}
        action={`Apply for ${duration(Number(ttl))}`}
        danger
        busy={apply.isPending}
        error={apply.error}
        onConfirm={start}
        onClose={() => setAsking(false)}
      >
        <p>
          Version {version} is sent to the devices of {fabric} now. After {duration(Number(ttl))} they get the base profile back.
        </p>
      </Confirm>
      {job && <JobProgress key={job.id} id={job.id} what={`Apply ${profile} to ${fabric}`} />}
    </section>
  );
}
