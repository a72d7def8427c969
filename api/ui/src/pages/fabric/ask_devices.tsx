// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A button that has the devices of a fabric asked which attributes they have, and the progress of that. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useFabricAction } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import type { Job } from "@/api/types";
import { JobProgress } from "@/components/job_progress";
import { ErrorNotice } from "@/components/notice";

export function AskDevices({ fabric }: { fabric: string }) {
  const may = useMay("operator");
  const action = useFabricAction(fabric);
  const [running, setRunning] = useState<Job | null>(null);
  const [result, setResult] = useState("");
  if (!may) return null;
  const ended = ({ result }: Job) => setResult(typeof result?.message === "string" ? result.message : "");
  return (
    <div className="stack tight">
      <div className="row">
        <Button
          size="xs"
          variant="default"
          loading={action.isPending}
          onClick={() => {
            setResult("");
            action.mutate("ask-devices", { onSuccess: setRunning });
          }}
        >
          Ask devices
        </Button>
        <span className="small soft">Nothing is set on them for it.</span>
      </div>
      <ErrorNotice error={action.error} />
      {running && <JobProgress key={running.id} id={running.id} what={`Ask devices: ${fabric}`} onEnd={ended} />}
      {result && <p className="small">{result.charAt(0).toUpperCase() + result.slice(1)}.</p>}
    </div>
  );
}
