// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A notice of devices that somebody else has switched on, and an administrator's button that clears them. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useClearForeign } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { count } from "@/format/quantity";

export function ClearForeign({ fabric, devices }: { fabric: string; devices: number }) {
  const may = useMay("admin");
  const action = useClearForeign(fabric);
  const [asking, setAsking] = useState(false);
  const [job, setJob] = useState<string | null>(null);
  const [needs, setNeeds] = useState<string | null>(null);
  if (devices === 0 && job === null) return null;
  return (
    <div className="stack tight">
      {devices > 0 && (
        <p>
          <Link to={`/fabrics/${encodeURIComponent(fabric)}?tab=devices&state=foreign`}>{count(devices, "device")}</Link>{" "}
          {devices === 1 ? "obeys" : "obey"} NVIDIA's attributes that somebody else has switched on. Nothing is sent to them.
        </p>
      )}
      {may && devices > 0 && (
        <div className="row">
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            Clear foreign devices
          </Button>
        </div>
      )}
      <Confirm
        opened={asking}
        title="Clear foreign devices?"
        action="Clear"
        danger
        busy={action.isPending}
        error={action.error}
        onConfirm={() =>
          action.mutate(undefined, {
            onSuccess: (asked) => {
              setAsking(false);
              setJob(asked.job?.id ?? null);
              setNeeds(asked.needs);
            },
          })
        }
        onClose={() => setAsking(false)}
      >
        <p>
          The plugin switches NVIDIA's attributes off on {count(devices, "device")}, which
          {devices === 1 ? " gets" : " get"} annex A10's tables after that. Where the fabric requires a second person, nothing is
          sent until another admin asks for the same.
        </p>
      </Confirm>
      {needs && <p className="small">Nothing is cleared yet: {needs} is missing.</p>}
      {job && <JobProgress key={job} id={job} what={`Clear foreign devices: ${fabric}`} />}
    </div>
  );
}
