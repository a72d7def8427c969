// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** When the service runs a check by itself. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useChangeSchedule } from "@/api/queries/checks";
import type { Check, Schedule } from "@/api/types";
import { Facts } from "@/components/facts";
import { ErrorNotice } from "@/components/notice";
import { At } from "@/components/time";
import { viewersZone, zoneTime } from "@/format/zone";
import { newSchedule, scheduleText } from "@/pages/checks/schedule";
import { ScheduleFields } from "@/pages/checks/schedule_fields";

export function SchedulePanel({ check }: { check: Check }) {
  const [editing, setEditing] = useState<{ schedule: Schedule; etag: string } | null>(null);
  const change = useChangeSchedule(check.name);
  const { schedule } = check;
  return (
    <section className="panel stack" aria-labelledby="schedule">
      <h2 id="schedule">Schedule</h2>
      {editing ? (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            change.mutate({ body: editing.schedule, etag: editing.etag }, { onSuccess: () => setEditing(null) });
          }}
        >
          <ScheduleFields schedule={editing.schedule} onChange={(next) => setEditing({ ...editing, schedule: next })} />
          <ErrorNotice error={change.error} title="Not saved" />
          <div className="row">
            <Button type="submit" loading={change.isPending} disabled={editing.schedule.days.length === 0}>
              Save
            </Button>
            <Button variant="default" onClick={() => setEditing(null)}>
              Cancel
            </Button>
          </div>
        </form>
      ) : (
        <>
          {schedule ? (
            <Shown schedule={schedule} nextRun={check.next_run} />
          ) : (
            <p>It has no schedule: it runs only when somebody runs it.</p>
          )}
          {check.actions.includes("schedule") && (
            <div className="row">
              <Button
                variant={schedule ? "default" : undefined}
                onClick={() => setEditing({ schedule: schedule ?? newSchedule(), etag: check.etag })}
              >
                {schedule ? "Change the schedule" : "Set a schedule"}
              </Button>
            </div>
          )}
        </>
      )}
    </section>
  );
}

function Shown({ schedule, nextRun }: { schedule: Schedule; nextRun: string | null }) {
  const there = nextRun === null ? null : zoneTime(Date.parse(nextRun), schedule.zone);
  const isAbroad = nextRun !== null && there !== zoneTime(Date.parse(nextRun), viewersZone());
  return (
    <Facts
      facts={[
        ["Runs", scheduleText(schedule)],
        ["Next run", nextRun ? <At key="next" at={nextRun} /> : "none"],
        ...(isAbroad ? [["By its clocks", there] as [string, string | null]] : []),
        ["Late", `within ${schedule.late_by_h} h; after that a night is missed`],
        ["If the fabric is busy", schedule.when_busy === "wait" ? "waits until it is free, or too late" : "skips the night"],
      ]}
    />
  );
}
