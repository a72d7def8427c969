// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The profile that a campaign recommends, or would recommend now, compared with the references, and a button to apply it to a fabric. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { Explained } from "@/components/explained";
import { Notice } from "@/components/notice";
import { ChallengeNote } from "@/pages/campaigns/challenge_note";
import { DeviceProfiles } from "@/pages/campaigns/device_profiles";
import { figuresOf } from "@/pages/campaigns/outcome_figures";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";
import { ScenarioMap } from "@/pages/campaigns/scenario_map";
import { asSentence } from "@/pages/profiles/parameter_input";

export function CampaignOutcome({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const { best, recommended, state, ended } = campaign;
  const finished = state === "finished";
  const trial = finished ? recommended : best?.number;
  if (!best && !finished && campaign.trials_done === 0) return null;
  return (
    <section className="panel stack" aria-labelledby="outcome">
      <div className="row ends">
        <h2 id="outcome">{finished ? "Recommended" : "Best so far"}</h2>
        <span className="row">
          {typeof trial === "number" && <Link to={`/campaigns/${campaign.id}/trials/${trial}`}>Trial {trial}</Link>}
          {may && finished && recommended !== null && <SaveRecommended campaign={campaign} />}
        </span>
      </div>
      {finished && recommended === null ? <Notice kind="warn">{campaign.finding}</Notice> : <p>{campaign.finding}</p>}
      {best && !(finished && recommended === null) && (
        <div className="metric-strip">
          {figuresOf(campaign).map(({ title, meaning, text, beside }) => (
            <div key={title}>
              <div className="small soft">{meaning ? <Explained term={title}>{asSentence(meaning)}</Explained> : title}</div>
              <div className="value">{text}</div>
              <div className="small soft">{beside}</div>
            </div>
          ))}
        </div>
      )}
      {finished && recommended !== null && <ChallengeNote campaign={campaign} />}
      {finished && <DeviceProfiles campaign={campaign} />}
      {finished && <ScenarioMap campaign={campaign} />}
      <p className="small soft">
        {finished
          ? "Measured and chosen at the confirmation, with seeds that the search has not used. The report has the confidence intervals."
          : "Measured with the search's seeds. The confirmation decides which profile is recommended."}
        {ended && ` The search ended: ${ended}.`}
      </p>
    </section>
  );
}
