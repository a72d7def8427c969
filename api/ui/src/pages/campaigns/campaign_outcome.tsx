// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a campaign recommends, and the way from there to a fabric. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/shapes";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";
import { number, titleOf, unitOf } from "@/words/quantity";

/** The numbers of `best`, however deep the service puts them. */
export function bestNumbers(best: Record<string, unknown> | null): [string, number][] {
  if (!best) return [];
  const values = (best.values ?? best.metrics ?? best) as Record<string, unknown>;
  return Object.entries(values).filter(
    (pair): pair is [string, number] => typeof pair[1] === "number" && pair[0] !== "number" && pair[0] !== "trial",
  );
}

export function CampaignOutcome({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const numbers = bestNumbers(campaign.best);
  const trial = campaign.best?.number ?? campaign.best?.trial;
  const ended = campaign.state === "finished" || campaign.state === "stopped";
  if (!campaign.best && !ended) return null;
  return (
    <section className="panel stack" aria-labelledby="outcome">
      <div className="row ends">
        <h2 id="outcome">{campaign.state === "finished" ? "Recommended" : "Best so far"}</h2>
        <span className="row">
          {typeof trial === "number" && <Link to={`/campaigns/${campaign.id}/trials/${trial}`}>Trial {trial}</Link>}
          {may && campaign.state === "finished" && campaign.best && <SaveRecommended campaign={campaign} />}
          {may && campaign.state === "finished" && !campaign.best && (
            <Button size="xs" variant="default" component={Link} to="/campaigns/new">
              Another campaign
            </Button>
          )}
        </span>
      </div>
      {numbers.length > 0 ? (
        <div className="metric-strip">
          {numbers.map(([name, value]) => (
            <div key={name}>
              <div className="small soft">{titleOf(name)}</div>
              <span className="value">{number(value)}</span> <span className="soft">{unitOf(name)}</span>
            </div>
          ))}
        </div>
      ) : (
        <p>{campaign.best ? "" : "No profile keeps every constraint: none is recommended."}</p>
      )}
    </section>
  );
}
