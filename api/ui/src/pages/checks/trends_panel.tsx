// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The trend of each metric in a chart of its own: those that have changed come first. */

import { Select } from "@mantine/core";
import { useCallback, useMemo, useState } from "react";
import { useBaseline, useCheckMetrics } from "@/api/queries/checks";
import type { Check, MetricTrend } from "@/api/types";
import { Chart } from "@/charts/chart";
import type { Ink } from "@/charts/shared_options";
import { trendChart, unitText } from "@/charts/trend";
import { useAddress } from "@/components/address";
import { QueryView } from "@/components/query_view";
import { Tag, type Tone } from "@/components/tag";
import { nightText } from "@/format/night";
import { count, titleOf } from "@/format/quantity";
import { changeOf, effectText, foundText, isConstant, valueText } from "@/pages/checks/trend_text";

export function TrendsPanel({ check }: { check: Check }) {
  const trends = useCheckMetrics(check.name);
  const baseline = useBaseline(check.name, check.baseline !== null);
  const accepted = useMemo(() => new Set(baseline.data?.nights), [baseline.data]);
  return (
    <QueryView query={trends} rows={10}>
      {(items) =>
        items.every(({ values }) => values.length === 0) ? (
          <div className="empty">No night has measured anything yet. Trends appear after the first one.</div>
        ) : (
          <Trends check={check} items={items} accepted={accepted} />
        )
      }
    </QueryView>
  );
}

interface TrendsProps {
  check: Check;
  items: MetricTrend[];
  accepted: ReadonlySet<string>;
}

function Trends({ check, items, accepted }: TrendsProps) {
  const address = useAddress();
  const entries = [...new Set(items.map(({ entry }) => entry))];
  const chosen = address.get("entry");
  const shown = items
    .filter(({ entry, values }) => values.length > 0 && (chosen === "" || entry === chosen))
    .sort((a, b) => Number(b.changed) - Number(a.changed));
  return (
    <div className="stack">
      {entries.length > 1 && (
        <div className="row">
          <Select
            aria-label="Entry"
            data={[{ value: "", label: "All entries" }, ...entries]}
            value={chosen}
            onChange={(entry) => address.set({ entry }, { replace: true })}
          />
        </div>
      )}
      <p className="soft small prose">
        {check.baseline
          ? "Rings are nights of the baseline, and the green line is its middle. Dashed lines are values that a change for the worse must reach to be found after 1, 3 and 7 nights, with a probability of 90 %. Diamonds are nights since a change began."
          : "Without a baseline no metric is judged. Accept nights in which all was well, and the charts show which changes are found."}
      </p>
      <Charts items={shown.filter((trend) => !isConstant(trend))} accepted={accepted} severalEntries={entries.length > 1} />
      <Constant items={shown.filter(isConstant)} accepted={accepted} severalEntries={entries.length > 1} />
    </div>
  );
}

interface ChartsProps {
  items: MetricTrend[];
  accepted: ReadonlySet<string>;
  severalEntries: boolean;
}

function Charts({ items, ...more }: ChartsProps) {
  if (items.length === 0) return null;
  return (
    <div className="trends">
      {items.map((trend) => (
        <Trend key={trend.name} trend={trend} {...more} />
      ))}
    </div>
  );
}

/** Metrics that never varied, in a line; their charts are drawn if somebody asks for them. */
function Constant(props: ChartsProps) {
  const [open, setOpen] = useState(false);
  const { items, severalEntries } = props;
  if (items.length === 0) return null;
  const values = items.map(
    ({ name, metric, unit, values: [first] }) =>
      `${severalEntries ? name : titleOf(metric)} ${valueText(metric, first?.value, unitText(unit))}`,
  );
  return (
    <details className="stack" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="soft">
        {count(items.length, "metric has", "metrics have")} never varied: {values.join(", ")}
      </summary>
      {open && <Charts {...props} />}
    </details>
  );
}

interface TrendProps {
  trend: MetricTrend;
  accepted: ReadonlySet<string>;
  severalEntries: boolean;
}

const TONES: Record<string, Tone> = { worse: "bad", better: "warn", changed: "warn" };

function Trend({ trend, accepted, severalEntries }: TrendProps) {
  const option = useCallback((ink: Ink) => trendChart(trend, accepted, ink), [trend, accepted]);
  const unit = unitText(trend.unit);
  const title = titleOf(trend.metric);
  const change = changeOf(trend);
  const latest = trend.values[trend.values.length - 1];
  const state =
    trend.changed && trend.since ? `${change} since ${nightText(trend.since)}` : trend.baseline ? "no change" : "not judged";
  return (
    <section className="panel stack tight" aria-label={trend.name}>
      <div className="row ends">
        <h3>
          {severalEntries && <span className="soft">{trend.entry}: </span>}
          {title} {unit && <span className="unit soft small">[{unit}]</span>}
        </h3>
        <Tag state={state} tone={trend.changed ? (TONES[change] ?? "warn") : trend.baseline ? "good" : "plain"} />
      </div>
      {latest && (
        <p className="small">
          Last: <strong>{valueText(trend.metric, latest.value, unit)}</strong> on {nightText(latest.date)}
          {trend.baseline && <>; baseline {valueText(trend.metric, trend.baseline.middle, "")}</>}
        </p>
      )}
      <Chart
        size="small"
        label={`${title} in ${count(trend.values.length, "night")}: ${state}; ${valueText(trend.metric, latest?.value, unit)} in the last one`}
        caption={
          <>
            {trend.better === "more" ? "More is better." : "Less is better."}{" "}
            {trend.baseline ? foundText(trend) : `The least change of interest is ${effectText(trend)}.`}
          </>
        }
        option={option}
        table={() => ({
          columns: ["night", unit ? `${trend.metric} [${unit}]` : trend.metric, "baseline"],
          rows: trend.values.map(({ date, value }) => [date, value, accepted.has(date)]),
        })}
        file={trend.name}
      />
    </section>
  );
}
