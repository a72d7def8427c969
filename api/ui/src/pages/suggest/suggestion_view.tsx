// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A suggested profile: its values, its reasons, what is not known, and how it does by contributors and devices. */

import { useCallback } from "react";
import { useMay } from "@/api/queries/session";
import type { DeviceOutlook, Suggestion } from "@/api/types";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { suggestionChart, suggestionTable } from "@/charts/suggestion";
import { type Column, DataTable } from "@/components/data_table";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { Tag, type Tone } from "@/components/tag";
import { Words } from "@/components/words";
import { count, field, number, quantity } from "@/format/quantity";
import { valueAt } from "@/pages/profiles/document";
import { SaveSuggestion } from "@/pages/suggest/save_suggestion";

/** The values that the rule decides, by the names that the specification and the reasons have. */
const SHOWN: [name: string, path: string][] = [
  ["Threshold", "switch.threshold"],
  ["Marking_Rate", "switch.marking_rate"],
  ["CCTI_Timer", "ca.ccti_timer"],
  ["CCTI_Increase", "ca.ccti_increase"],
  ["CCTI_Limit", "cct.ccti_limit"],
  ["Delay at index 106", "cct.curve.full_scale_packet_times"],
  ["Marking from", "nvidia.switch.thresholds.0.profile1_min"],
  ["Marking all from", "nvidia.switch.thresholds.0.profile1_max"],
  ["Time between increases", "nvidia.adapter.rp.rpg_time_reset"],
  ["Additive step", "nvidia.adapter.rp.rpg_ai_rate"],
  ["Hyper step", "nvidia.adapter.rp.rpg_hai_rate"],
  ["Lowest rate", "nvidia.adapter.rp.rpg_min_rate"],
];

/** Units of fields whose names have none. Thresholds of a suggestion are in kilobytes. */
const UNITS: Record<string, string> = {
  profile1_min: "KB",
  profile1_max: "KB",
  rpg_time_reset: "µs",
  rpg_ai_rate: "Mb/s",
  rpg_hai_rate: "Mb/s",
  rpg_min_rate: "Mb/s",
};

const VERDICTS: Record<DeviceOutlook["forecasts"][number]["verdict"], [tone: Tone, text: string]> = {
  cures: ["good", "cured"],
  unsure: ["warn", "unsure"],
  "does nothing": ["bad", "not cured"],
};

interface Props {
  fabric: string;
  suggestion: Suggestion;
  newTab?: boolean;
}

export function SuggestionView({ fabric, suggestion, newTab }: Props) {
  const may = useMay("operator");
  const { contributors, reasons, unknowns, stops, document } = suggestion;
  const key = JSON.stringify([suggestion.devices, contributors]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines' contents are the key
  const option = useCallback((ink: Ink) => suggestionChart(suggestion, ink), [key]);
  return (
    <div className="stack">
      <div className="halves">
        <section className="panel stack" aria-label="Suggested values">
          <h2>Suggested profile</h2>
          {suggestion.holds && <p>{suggestion.holds}</p>}
          <Facts
            facts={[
              [
                "Made for",
                `${count(contributors.made_for, "contributor")} to a receiver of ${quantity(suggestion.receiver_gbps, "Gb/s")}`,
              ],
              ...valuesIn(document),
            ]}
          />
          <details>
            <summary>The document</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard */}
            <section className="table-box" tabIndex={0} aria-label="Document">
              <pre className="code">{document}</pre>
            </section>
          </details>
          {may && (
            <div className="row">
              <SaveSuggestion fabric={fabric} suggestion={suggestion} newTab={newTab} />
            </div>
          )}
        </section>
        {suggestion.devices.length > 0 && (
          <section className="panel stack" aria-label="Outlook">
            <h2>By number of contributors</h2>
            <Chart
              label={`What contributors keep of their throughput, from 2 to ${suggestion.most_contributors} of them, by kind of devices`}
              option={option}
              caption={`By the rule, at least. A line ends where victims are no longer cured. Dashed: the expected ${rangeOf(contributors)}.`}
              table={() => suggestionTable(suggestion)}
              file="suggestion"
            />
          </section>
        )}
      </div>
      {unknowns.length > 0 && (
        <Notice kind="warn" title="Not known">
          <Sentences of={unknowns} />
        </Notice>
      )}
      <div className="halves">
        <section aria-label="Reasons">
          <h2>Why these values</h2>
          <Sentences of={reasons} />
        </section>
        {stops.length > 0 && (
          <section aria-label="Where it stops">
            <h2>Where it stops</h2>
            <Sentences of={stops} />
          </section>
        )}
      </div>
      {suggestion.devices.length > 0 && (
        <section className="stack tight" aria-label="By kind of devices">
          <h2>By kind of devices, with {count(contributors.made_for, "contributor")}</h2>
          <DataTable
            caption="Outlook by kind of devices"
            columns={columnsFor(contributors.made_for)}
            rows={suggestion.devices}
            rowKey={(row) => row.device}
            file="suggestion-devices"
          />
        </section>
      )}
    </div>
  );
}

function valuesIn(document: string): [name: string, value: string][] {
  return SHOWN.flatMap(([name, path]) => {
    const value = valueAt(document, path);
    if (value === undefined) return [];
    const unit = UNITS[path.split(".").at(-1) ?? ""];
    if (typeof value !== "number") return [[name, String(value)]];
    return [[name, unit ? quantity(value, unit) : field(path, value)]];
  });
}

function Sentences({ of }: { of: string[] }) {
  return (
    <ul>
      {of.map((one) => (
        <li key={one}>
          <Words of={one} />
        </li>
      ))}
    </ul>
  );
}

function rangeOf({ least, most }: Suggestion["contributors"]): string {
  return least === most ? `${most}` : `${least} to ${most}`;
}

function columnsFor(contributors: number): Column<DeviceOutlook>[] {
  const at = (row: DeviceOutlook) => row.forecasts.find((one) => one.contributors === contributors);
  const cures = (row: DeviceOutlook) => at(row)?.verdict !== "does nothing";
  return [
    {
      key: "device",
      title: "Devices",
      head: true,
      value: (row) => row.device,
      show: (row) => (
        <>
          <code>{row.device}</code> {row.made_for && <span className="tag">made for these</span>}
        </>
      ),
    },
    { key: "meaning", title: "Meaning", value: (row) => row.meaning },
    {
      key: "victims",
      title: "Victims",
      value: (row) => at(row)?.verdict,
      show: (row) => {
        const [tone, text] = VERDICTS[at(row)?.verdict ?? "unsure"];
        return <Tag state={text} tone={tone} />;
      },
    },
    {
      key: "cost_percent",
      title: "May cost",
      unit: "%",
      numeric: true,
      value: (row) => (cures(row) ? (at(row)?.cost ?? 0) * 100 : null),
      show: (row) => (cures(row) ? ((at(row)?.cost ?? 0) * 100).toFixed(1) : "–"),
    },
    {
      key: "settles_ms",
      title: "Settles",
      unit: "ms",
      numeric: true,
      value: (row) => at(row)?.settles_ms,
      show: (row) => number(at(row)?.settles_ms && Number(at(row)?.settles_ms?.toPrecision(3))),
    },
    {
      key: "recovers_ms",
      title: "Recovers",
      unit: "ms",
      numeric: true,
      value: (row) => at(row)?.recovers_ms,
      show: (row) => number(at(row)?.recovers_ms && Number(at(row)?.recovers_ms.toPrecision(3))),
    },
    { key: "works_up_to", title: "Contributors at most", numeric: true, value: (row) => row.works_up_to },
  ];
}
