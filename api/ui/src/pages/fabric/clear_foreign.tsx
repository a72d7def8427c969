// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A notice of devices that somebody else has switched on, and an administrator's button that clears them. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useClearForeign } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice } from "@/components/notice";
import { count } from "@/format/quantity";

export function ClearForeign({ fabric, devices }: { fabric: string; devices: number }) {
  const may = useMay("admin");
  const action = useClearForeign(fabric);
  const [job, setJob] = useState<string | null>(null);
  const [needs, setNeeds] = useState<string | null>(null);
  if (devices === 0 && job === null) return null;
  return (
    <div className="stack tight">
      <p>
        <Link to={`/fabrics/${encodeURIComponent(fabric)}?tab=devices&state=foreign`}>{count(devices, "device")}</Link> obey
        NVIDIA's attributes that somebody else has switched on. Nothing is sent to them.
      </p>
      {may && (
        <div className="row">
          <Button
            size="xs"
            variant="default"
            loading={action.isPending}
            onClick={() =>
              action.mutate(undefined, {
                onSuccess: (asked) => {
                  setJob(asked.job?.id ?? null);
                  setNeeds(asked.needs);
                },
              })
            }
          >
            Clear foreign devices
          </Button>
        </div>
      )}
      <ErrorNotice error={action.error} />
      {needs && <p className="small">Nothing is cleared yet: {needs} is missing.</p>}
      {job && <JobProgress key={job} id={job} what={`Clear foreign devices: ${fabric}`} />}
    </div>
  );
}
