// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Applies a profile to a fabric for a limited time. */

import { Button, Select } from "@mantine/core";
import { useState } from "react";
import { useApply } from "@/api/queries/fabrics";
import type { Job } from "@/api/types";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice } from "@/components/notice";
import { duration } from "@/format/time";

interface Props {
  fabric: string;
  profile: string;
  version: number;
  experiment: { owner: string | null; ends_at: string | null } | null;
}

const TIMES_S = [60, 300, 600, 1800, 3600, 4 * 3600, 12 * 3600, 86400];

export function ApplyPanel({ fabric, profile, version, experiment }: Props) {
  const [ttl, setTtl] = useState("600");
  const [job, setJob] = useState<Job | null>(null);
  const apply = useApply(fabric);
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
        <Button
          loading={apply.isPending}
          onClick={() => apply.mutate({ profile, version, ttl_s: Number(ttl) }, { onSuccess: setJob })}
        >
          Apply for {duration(Number(ttl))}
        </Button>
      </div>
      <ErrorNotice error={apply.error} title="Not applied" />
      {job && <JobProgress key={job.id} id={job.id} what={`Apply ${profile} to ${fabric}`} />}
    </section>
  );
}
