// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The progress of a job, until it has ended. */

import { Button } from "@mantine/core";
import { useEffect, useRef } from "react";
import { hasEnded, useCancelJob, useJob } from "@/api/queries/jobs";
import type { Job } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import { Progress } from "@/components/progress";
import { Tag } from "@/components/tag";

interface Props {
  id: string;
  what: string;
  onEnd?: (job: Job) => void;
}

export function JobProgress({ id, what, onEnd }: Props) {
  const job = useJob(id);
  const cancel = useCancelJob();
  const reported = useRef<string | null>(null);
  const ended = job.data && hasEnded(job.data) ? job.data : null;
  useEffect(() => {
    if (!ended || reported.current === ended.id) return;
    reported.current = ended.id;
    onEnd?.(ended);
  }, [ended, onEnd]);
  if (!job.data) return <ErrorNotice error={job.error} />;
  const { state, progress, problem } = job.data;
  const kind = state === "failed" ? "bad" : state === "done" ? "good" : state === "cancelled" ? "warn" : "info";
  return (
    <Notice kind={kind}>
      <div className="row ends">
        <span>
          <strong>{what}</strong> <Tag state={state} />
        </span>
        {job.data.actions.includes("cancel") && (
          <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(id)}>
            Cancel
          </Button>
        )}
      </div>
      {!ended && progress.total !== null && progress.total > 0 && (
        <Progress done={progress.done} total={progress.total} label={what} />
      )}
      {!ended && progress.text && <p className="small soft">{progress.text}</p>}
      {problem && <p>{problem}</p>}
      <ErrorNotice error={cancel.error} />
    </Notice>
  );
}
