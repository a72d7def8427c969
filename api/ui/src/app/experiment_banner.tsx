// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A red banner on every page during a trial run on a fabric: whose it is, how long it lasts, and a button that ends it. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { sentence } from "@/api/problem";
import { useFabricAction, useFabricState } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import type { Job } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { Until } from "@/components/time";
import { profileName } from "@/format/profile_name";

export function ExperimentBanner({ fabric }: { fabric: string }) {
  const state = useFabricState(fabric).data;
  const action = useFabricAction(fabric);
  const may = useMay("operator");
  const [asking, setAsking] = useState(false);
  const [job, setJob] = useState<Job | null>(null);
  const experiment = state?.experiment;
  if (!experiment) {
    return job ? <JobProgress id={job.id} what={`Restore the base of ${fabric}`} onEnd={() => setJob(null)} /> : null;
  }
  const restore = () =>
    action.mutate("restore", {
      onSuccess: (started) => {
        setJob(started);
        setAsking(false);
      },
    });
  return (
    <section className="alarm" aria-label={`Trial run on ${fabric}`}>
      <span>
        <strong>
          <Link to={`/fabrics/${encodeURIComponent(fabric)}`}>{fabric}</Link> is in a trial run:
        </strong>{" "}
        {profileName(state.active_profile)}, by {experiment.owner}
        {experiment.ends_at && (
          <>
            , <Until at={experiment.ends_at} />
          </>
        )}
        .
      </span>
      {may && (
        <Button size="xs" variant="white" color="dark" loading={action.isPending || job !== null} onClick={() => setAsking(true)}>
          Restore the base now
        </Button>
      )}
      {action.error && !asking && (
        <span className="alarm-problem" role="alert">
          {sentence(action.error)}
        </span>
      )}
      <Confirm
        opened={asking}
        title={`Restore the base of ${fabric}?`}
        action="Restore"
        danger
        busy={action.isPending}
        error={action.error}
        onConfirm={restore}
        onClose={() => setAsking(false)}
      >
        <p>
          The trial run of {experiment.owner} ends now, and all devices get the base profile {profileName(state.base_profile)}{" "}
          back. A campaign that measures on this fabric is paused; it can be resumed.
        </p>
      </Confirm>
    </section>
  );
}
