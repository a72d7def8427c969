// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The profile that a campaign recommends, or would recommend now, compared with the references, and a button to apply it to a fabric. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { Notice } from "@/components/notice";
import { quantity, titleOf, unitOf } from "@/format/quantity";
import { DeviceProfiles } from "@/pages/campaigns/device_profiles";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";

export interface Figure {
  title: string;
  text: string;
  /** The values of the baseline and the published profile. */
  beside: string;
}

export function figuresOf({ best, objectives }: Campaign): Figure[] {
  if (!best) return [];
  const values = best.values as Record<string, number | null>;
  // The confirmation measures the references again, as it does the recommended profile.
  const beside = best.beside as Record<"baseline" | "expert", Record<string, number>> | undefined;
  const goals = objectives.map(({ name, title, unit, baseline, expert }) => ({
    title: titleOf(title),
    text: quantity(values[name], unit),
    beside: [
      reference("CC off", beside ? beside.baseline[name] : baseline, unit),
      reference("published", beside ? beside.expert[name] : expert, unit),
    ]
      .filter(Boolean)
      .join(", "),
  }));
  // The service's other figures of that trial; those that are objectives are there already.
  const others = Object.entries(best).filter(
    (pair): pair is [string, number] =>
      typeof pair[1] === "number" && pair[0] !== "number" && !objectives.some(({ name }) => pair[0].startsWith(name)),
  );
  return [
    ...goals,
    ...others.map(([name, value]) => ({ title: titleOf(name), text: quantity(value, unitOf(name)), beside: "" })),
  ];
}

function reference(name: string, value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? "" : `${name} ${quantity(value, unit)}`;
}

export function CampaignOutcome({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const { best, recommended, state, ended } = campaign;
  const finished = state === "finished";
  const trial = finished ? recommended : best?.number;
  if (!best && !finished) return null;
  return (
    <section className="panel stack" aria-labelledby="outcome">
      <div className="row ends">
        <h2 id="outcome">{finished ? "Recommended" : "Best so far"}</h2>
        <span className="row">
          {typeof trial === "number" && <Link to={`/campaigns/${campaign.id}/trials/${trial}`}>Trial {trial}</Link>}
          {may && finished && recommended !== null && <SaveRecommended campaign={campaign} />}
        </span>
      </div>
      {finished && recommended === null && (
        <Notice kind="warn">
          No profile is recommended: each breaks a constraint at the confirmation. The report says which.
        </Notice>
      )}
      {!(finished && recommended === null) && (
        <div className="metric-strip">
          {figuresOf(campaign).map(({ title, text, beside }) => (
            <div key={title}>
              <div className="small soft">{title}</div>
              <div className="value">{text}</div>
              <div className="small soft">{beside}</div>
            </div>
          ))}
        </div>
      )}
      {finished && <DeviceProfiles campaign={campaign} />}
      <p className="small soft">
        {finished
          ? "Measured and chosen at the confirmation, with seeds that the search has not used. The report has the confidence intervals."
          : "Measured with the search's seeds. The confirmation decides which profile is recommended."}
        {ended && ` The search ended: ${ended}.`}
      </p>
    </section>
  );
}
