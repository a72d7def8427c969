// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The fields of a schedule, and when the next night begins by it. */

import { Checkbox, NumberInput, Radio, Select, Switch, TextInput } from "@mantine/core";
import { useMemo } from "react";
import type { Schedule } from "@/api/types";
import { useNow } from "@/components/time";
import { WEEKDAYS } from "@/format/night";
import { DAYS, nextTime, viewersZone, zones, zoneTime } from "@/format/zone";

interface Props {
  schedule: Schedule;
  onChange: (schedule: Schedule) => void;
}

export function ScheduleFields({ schedule, onChange }: Props) {
  const set = (change: Partial<Schedule>) => onChange({ ...schedule, ...change });
  const known = useMemo(() => zones(schedule.zone), [schedule.zone]);
  return (
    <div className="stack">
      <Switch
        label="Run it by itself"
        checked={schedule.enabled}
        onChange={(event) => set({ enabled: event.currentTarget.checked })}
      />
      <div className="row bottom">
        <TextInput
          type="time"
          label="Time"
          required
          value={schedule.at}
          onChange={(event) => set({ at: event.currentTarget.value })}
        />
        <Select
          className="grow"
          label="Zone whose clocks count"
          searchable
          limit={40}
          nothingFoundMessage="No zone has this name"
          data={known}
          value={schedule.zone}
          onChange={(zone) => zone && set({ zone })}
        />
      </div>
      <Checkbox.Group
        label="Days"
        value={schedule.days}
        error={schedule.days.length === 0 ? "Choose at least one day." : undefined}
        onChange={(days) => set({ days: DAYS.filter((day) => days.includes(day)) })}
      >
        <div className="days">
          {DAYS.map((day, i) => (
            <Checkbox key={day} value={day} label={WEEKDAYS[i]?.short} aria-label={WEEKDAYS[i]?.long} />
          ))}
        </div>
      </Checkbox.Group>
      <NumberInput
        label="Run late within [h]"
        description="If the service was down at that time, a missed night still runs within this many hours."
        min={0}
        max={23}
        value={schedule.late_by_h}
        onChange={(value) => set({ late_by_h: Number(value) || 0 })}
      />
      <Radio.Group
        label="If something else measures on the fabric"
        value={schedule.when_busy}
        onChange={(value) => set({ when_busy: value as Schedule["when_busy"] })}
      >
        <div className="stack tight">
          <Radio value="wait" label="Wait, until it would be too late" />
          <Radio value="skip" label="Skip the night" />
        </div>
      </Radio.Group>
      <NextRun schedule={schedule} />
    </div>
  );
}

function NextRun({ schedule }: { schedule: Schedule }) {
  const now = useNow(30_000);
  if (!schedule.enabled) return <p aria-live="polite">No night begins by itself.</p>;
  const next = nextTime(schedule, now);
  if (next === null) return <p aria-live="polite">No night would begin.</p>;
  const [there, mine] = [zoneTime(next, schedule.zone), zoneTime(next, viewersZone())];
  return (
    <p aria-live="polite">
      Next run: <strong>{there}</strong>
      {mine !== there && <>, which is {mine} for you</>}
    </p>
  );
}
