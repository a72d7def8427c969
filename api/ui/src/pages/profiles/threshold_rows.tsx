// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The thresholds of NVIDIA's switches for all VLs: min, max and share of each of the three profiles. */

import { NumberInput, Select } from "@mantine/core";
import { valueAt, withSetting } from "@/pages/profiles/document";

const LIST = "nvidia.switch.thresholds";
const PROFILES = [1, 2, 3];
const PARTS: [part: string, title: string][] = [
  ["min", "Min"],
  ["max", "Max"],
  ["percent", "Percent"],
];
const UNITS = ["bytes", "kilobytes", "percent"];
const NEW_UNIT = "kilobytes";

interface Props {
  text: string;
  problems: string[];
  onChange: (text: string) => void;
}

export function ThresholdRows({ text, problems, onChange }: Props) {
  const list = valueAt(text, LIST);
  if (Array.isArray(list) && (list.length > 1 || (list.length === 1 && !isForAll(list[0])))) {
    return <p className="group-why small soft">Thresholds that differ by VL are a list, which is written under “YAML”.</p>;
  }
  const there = Array.isArray(list) && list.length === 1;
  const change = (key: string, value: unknown) => {
    if (there) onChange(withSetting(text, `${LIST}.0.${key}`, value));
    else if (value !== undefined) onChange(withSetting(text, LIST, [{ unit: NEW_UNIT, [key]: value }]));
  };
  const held = (key: string) => (there ? valueAt(text, `${LIST}.0.${key}`) : undefined);
  return (
    <section className="stack tight" aria-label="Thresholds">
      <Select
        className="threshold-unit"
        label={
          <>
            Thresholds of all VLs, in <code className="parameter-path">{LIST}</code>
          </>
        }
        data={UNITS}
        value={(held("unit") as string | undefined) ?? NEW_UNIT}
        allowDeselect={false}
        onChange={(unit) => change("unit", unit ?? NEW_UNIT)}
      />
      <table className="threshold-rows">
        <thead>
          <tr>
            <td />
            {PARTS.map(([part, title]) => (
              <th key={part} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {PROFILES.map((number) => (
            <tr key={number}>
              <th scope="row">Profile {number}</th>
              {PARTS.map(([part, title]) => {
                const key = `profile${number}_${part}`;
                const value = held(key);
                return (
                  <td key={part}>
                    <NumberInput
                      aria-label={`${title} of profile ${number}`}
                      value={typeof value === "number" ? value : ""}
                      placeholder="0"
                      allowDecimal={false}
                      hideControls
                      clampBehavior="none"
                      onChange={(next) => change(key, next === "" ? undefined : Number(next))}
                    />
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
      {problems.map((problem) => (
        <p key={problem} className="small diff-from" role="alert">
          {problem}
        </p>
      ))}
      <p className="small soft">
        A port marks by the profile of a packet's SL (<code>sl_profile</code>): no packet while the average queue is at most min,
        the share percent at max.
      </p>
    </section>
  );
}

function isForAll(element: unknown): boolean {
  const vls = (element as { vls?: unknown } | null)?.vls;
  return vls === undefined || vls === "all";
}
