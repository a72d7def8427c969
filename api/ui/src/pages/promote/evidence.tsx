// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What is known of a promotion's profile: what it gains and costs, what its trial runs showed, and what would undo it. */

import type { ReactNode } from "react";
import { Link } from "react-router";
import { usePromotionEvidence } from "@/api/queries/promotions";
import type { PromotionEvidence } from "@/api/types";
import { Facts } from "@/components/facts";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { count, number, quantity, titleOf } from "@/format/quantity";

type Measured = NonNullable<PromotionEvidence["measured"]>;
type Spread = Measured["figures"][number]["value"];
type TrialRun = PromotionEvidence["trial_runs"][number];

export function Evidence({ id }: { id: string }) {
  return (
    <section className="evidence stack tight" aria-labelledby={`evidence-${id}`}>
      <h3 id={`evidence-${id}`}>What is known of it</h3>
      <QueryView query={usePromotionEvidence(id)}>{(found) => <Facts facts={factsOf(found)} />}</QueryView>
    </section>
  );
}

function factsOf({ measured, trial_runs, undo, unknown }: PromotionEvidence): [string, ReactNode][] {
  const facts: [string, ReactNode][] = [];
  if (measured) {
    facts.push(["Measured by", <By key="by" measured={measured} />]);
    for (const figure of measured.figures) facts.push([`${titleOf(figure.metric)}${SIDES[figure.side]}`, figureText(figure)]);
  }
  for (const run of trial_runs) facts.push([`Trial run of ${run.by}`, <Seen key={run.began_at} run={run} />]);
  facts.push(["Undone by", <Sentences key="undo" of={undo} />]);
  if (unknown.length > 0) facts.push(["Not known", <Sentences key="unknown" of={unknown} />]);
  return facts;
}

const SIDES = { gain: " (gain)", cost: " (cost)", both: "" } as const;

export function spreadText({ value, low, high }: Spread, signed = false): string {
  const text = `${signed && value > 0 ? "+" : ""}${quantity(value, "Gb/s")}`;
  return low === null || high === null ? text : `${text} (${number(low)} to ${number(high)})`;
}

function figureText({ value, against_off, against_published }: Measured["figures"][number]): string {
  const others = [
    against_off && `against CC off ${spreadText(against_off, true)}`,
    against_published && `against the published profile ${spreadText(against_published, true)}`,
  ];
  return [spreadText(value), ...others].filter(Boolean).join("; ");
}

function By({ measured }: { measured: Measured }) {
  const { campaign, name, fabric, trial, backend, variant, model, ended_at } = measured;
  const set = Object.entries(model).map(([key, value]) => `${key}=${value}`);
  const devices = set.length > 0 ? set.join(", ") : "as the fabric has them";
  return (
    <>
      <Link to={`/campaigns/${encodeURIComponent(campaign)}`}>{name}</Link>
      {trial !== null && `, trial ${trial}`}, on {fabric} ({backend}); devices {devices}
      {variant && ` (variant ${variant})`}
      {ended_at && (
        <>
          , <At at={ended_at} />
        </>
      )}
      . In brackets: intervals of 95 %.
    </>
  );
}

function Seen({ run }: { run: TrialRun }) {
  const { before, during, alarms, sentence } = run;
  return (
    <>
      <At at={run.began_at} /> to {run.is_over ? <At at={run.ended_at} /> : "now"}: {count(alarms, "alarm")} of devices and links.{" "}
      Before: {before ? nightText(before) : "no night of a check"}. During:{" "}
      {during.length > 0 ? during.map(nightText).join("; ") : "no night of a check"}. {sentence}
    </>
  );
}

function nightText({ check, date, verdict, headline }: NonNullable<TrialRun["before"]>): string {
  return `${check} of ${date}: ${verdict}${headline ? `, ${headline}` : ""}`;
}

function Sentences({ of }: { of: string[] }) {
  return (
    <>
      {of.map((one) => (
        <div key={one}>{one}</div>
      ))}
    </>
  );
}
