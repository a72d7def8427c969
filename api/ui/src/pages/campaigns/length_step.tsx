// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wizard's step for trials, times and seeds. */

import { NumberInput, Select, TextInput } from "@mantine/core";
import { useState } from "react";
import { parseSeeds, SAMPLERS, type Settings } from "@/pages/campaigns/spec";

export function LengthStep({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const [seeds, setSeeds] = useState(settings.seeds.join(", "));
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  return (
    <div className="halves">
      <div className="stack">
        <NumberInput
          label="Trials"
          description="Each trial is one profile, measured with every workload and seed."
          min={1}
          allowDecimal={false}
          value={settings.trials}
          onChange={(value) => set({ trials: Number(value) || 1 })}
        />
        <NumberInput
          label="Time [s]"
          description="Longest time of the search; empty for no limit. The confirmation follows it."
          min={1}
          value={settings.time_s ?? ""}
          onChange={(value) => set({ time_s: value === "" ? null : Number(value) })}
        />
        <NumberInput
          label="Parallel trials"
          description="Trials measured at the same time. On a real fabric it is always one."
          min={1}
          allowDecimal={false}
          value={settings.parallel}
          onChange={(value) => set({ parallel: Number(value) || 1 })}
        />
      </div>
      <div className="stack">
        <TextInput
          label="Seeds"
          description="Integers. All trials use the same seeds, so that profiles do not differ by chance."
          value={seeds}
          error={parseSeeds(seeds) ? undefined : `“${seeds}” is not a list of integers such as 1, 2, 3.`}
          onChange={(event) => {
            setSeeds(event.currentTarget.value);
            const parsed = parseSeeds(event.currentTarget.value);
            if (parsed) set({ seeds: parsed });
          }}
        />
        <NumberInput
          label="Time scale"
          description="Factor on the workloads' times in the search."
          min={0.01}
          max={1}
          step={0.05}
          value={settings.time_scale}
          onChange={(value) => set({ time_scale: Number(value) || 1 })}
        />
        <NumberInput
          label="Time scale of the confirmation"
          description="Factor on the workloads' times when the best profiles are measured again. Less than 1 makes the recommendation less certain."
          min={0.01}
          max={1}
          step={0.05}
          value={settings.confirmation_scale}
          onChange={(value) => set({ confirmation_scale: Number(value) || 1 })}
        />
        <Select
          label="Sampler"
          description="tpe learns from the trials. nsga2 needs hundreds of trials. qmc, random and grid do not learn."
          data={SAMPLERS}
          value={settings.sampler}
          onChange={(value) => set({ sampler: value ?? "tpe" })}
        />
      </div>
    </div>
  );
}
