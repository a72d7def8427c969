// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Jobs: long-running actions, pending and ended. */

import { Button } from "@mantine/core";
import { useCancelJob, useJobs } from "@/api/queries/jobs";
import type { Job } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { JobSubject } from "@/components/job_subject";
import { ErrorNotice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { progressText, subjectText } from "@/format/job";
import { duration, secondsUntil } from "@/format/time";

export function Jobs() {
  const jobs = useJobs();
  const cancel = useCancelJob();
  return (
    <div className="stack">
      <ErrorNotice error={cancel.error} />
      <QueryView query={{ ...jobs, data: jobs.items }} rows={8}>
        {(items) => (
          <>
            <DataTable
              caption="Jobs"
              columns={[
                { key: "kind", title: "Kind", head: true, value: (row) => row.title },
                { key: "subject", title: "Of", value: subjectText, show: (row) => <JobSubject job={row} /> },
                { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag state={row.state} /> },
                { key: "fabric", title: "Fabric", value: (row) => row.fabric },
                { key: "progress", title: "Progress", value: progressText },
                { key: "created_by", title: "By", value: (row) => row.created_by },
                {
                  key: "created_at",
                  title: "Requested",
                  value: (row) => row.created_at,
                  show: (row) => <Ago at={row.created_at} />,
                },
                {
                  key: "took_s",
                  title: "Took",
                  value: tookS,
                  show: (row) => (tookS(row) === null ? "–" : duration(tookS(row) ?? 0)),
                },
                {
                  key: "cancel",
                  title: "",
                  value: () => null,
                  show: (row) =>
                    row.actions.includes("cancel") ? (
                      <Button
                        size="compact-xs"
                        variant="default"
                        disabled={row.cancel_requested}
                        onClick={() => cancel.mutate(row.id)}
                      >
                        Cancel
                      </Button>
                    ) : null,
                },
              ]}
              rows={items}
              rowKey={(row) => row.id}
              file="jobs"
              empty="No job yet."
            />
            {jobs.hasNextPage && (
              <button type="button" className="plain-link" onClick={() => jobs.fetchNextPage()}>
                Load older jobs
              </button>
            )}
          </>
        )}
      </QueryView>
    </div>
  );
}

function tookS({ started_at, ended_at }: Job): number | null {
  return started_at && ended_at ? secondsUntil(ended_at, new Date(started_at).getTime()) : null;
}
