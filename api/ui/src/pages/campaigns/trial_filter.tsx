// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Chooses trials by state and by the range of one value. */

import { NumberInput, Select } from "@mantine/core";
import type { Trial } from "@/api/types";
import { titleOf } from "@/format/quantity";

export interface TrialFilter {
  /** Empty: all. */
  state: string;
  /** A parameter or an objective; empty: none. */
  column: string;
  least: number | null;
  most: number | null;
}

export const ALL: TrialFilter = { state: "", column: "", least: null, most: null };

export function passes(filter: TrialFilter, trial: Trial, state: string): boolean {
  if (filter.state && filter.state !== state) return false;
  if (!filter.column || (filter.least === null && filter.most === null)) return true;
  const value = trial.values[filter.column] ?? trial.params[filter.column];
  return typeof value === "number" && value >= (filter.least ?? -Infinity) && value <= (filter.most ?? Infinity);
}

interface Props {
  filter: TrialFilter;
  onChange: (filter: TrialFilter) => void;
  states: string[];
  objectives: string[];
  parameters: string[];
}

export function TrialFilterFields({ filter, onChange, states, objectives, parameters }: Props) {
  const bound = (key: "least" | "most", label: string) => (
    <NumberInput
      label={label}
      w="9rem"
      value={filter[key] ?? ""}
      onChange={(value) => onChange({ ...filter, [key]: typeof value === "number" ? value : null })}
    />
  );
  return (
    <div className="row">
      <Select
        label="State"
        w="11rem"
        data={[{ value: "", label: "All" }, ...states]}
        value={filter.state}
        onChange={(value) => onChange({ ...filter, state: value ?? "" })}
      />
      <Select
        label="Value"
        w="18rem"
        clearable
        searchable
        data={[
          { group: "Results", items: objectives.map((name) => ({ value: name, label: titleOf(name) })) },
          { group: "Parameters", items: parameters },
        ]}
        value={filter.column || null}
        onChange={(value) => onChange({ ...filter, column: value ?? "" })}
      />
      {filter.column && bound("least", "At least")}
      {filter.column && bound("most", "At most")}
    </div>
  );
}
