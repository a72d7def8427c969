// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wizard's step for name, fabric, goal and the hosts that take part. Goals that the fabric cannot have are grey, and say why. */

import { Checkbox, Select, TextInput } from "@mantine/core";
import type { CampaignTemplate, Fabric, NewCampaign } from "@/api/types";
import type { Settings } from "@/pages/campaigns/spec";
import { unnamed } from "@/pages/campaigns/spec_text";
import { Where } from "@/pages/campaigns/where";
import { LONGEST_NAME, OWN, type Start } from "@/pages/campaigns/wizard_start";
import { FabricCapacity } from "@/pages/fabric/low_capacity";
import { Subnet } from "@/pages/fabric/subnet";

interface Props {
  templates: CampaignTemplate[];
  /** The goals with what the fabric can have of them; undefined: not known yet. */
  offers: CampaignTemplate[] | undefined;
  fabrics: Fabric[];
  own: Start["own"];
  choice: string;
  onChoice: (choice: string, text: string) => void;
  name: string;
  proposed: string;
  onName: (name: string) => void;
  onFabric: (fabric: string | null) => void;
  onSimulator: (on: boolean) => void;
  settings: Settings;
  onSettings: (settings: Settings) => void;
  /** The campaign as it would be created. */
  asked: NewCampaign;
}

export function WhatStep(props: Props) {
  const { fabrics, asked, settings, onSettings } = props;
  const kind = fabrics.find((one) => one.name === asked.fabric)?.kind;
  return (
    <div className="stack">
      <div className="row bottom">
        <TextInput
          className="grow"
          label="Name of the campaign"
          placeholder={props.proposed}
          maxLength={LONGEST_NAME}
          value={props.name}
          onChange={(event) => props.onName(event.currentTarget.value)}
        />
        <Select
          className="grow"
          label="Fabric"
          data={fabrics.map((one) => ({ value: one.name, label: `${one.name} (${one.kind})` }))}
          value={asked.fabric || null}
          onChange={props.onFabric}
        />
      </div>
      <Templates {...props} />
      {kind && kind !== "simulated" && (
        <Checkbox
          label="Measure in the simulator"
          description={`Otherwise each trial is applied to ${asked.fabric} as a trial run, one at a time, and the campaign holds the fabric until it ends.`}
          checked={asked.on_simulator}
          onChange={(event) => props.onSimulator(event.currentTarget.checked)}
        />
      )}
      {(kind === "simulated" || asked.on_simulator) && <FabricCapacity fabric={asked.fabric} />}
      {(kind === "simulated" || asked.on_simulator) && (
        <Subnet
          fabric={asked.fabric}
          reason="a campaign is on one"
          subnet={settings.subnet}
          onSubnet={(subnet) => onSettings({ ...settings, subnet })}
        />
      )}
      <Where campaign={asked} counts={settings.roles} onCounts={(roles) => onSettings({ ...settings, roles })} />
    </div>
  );
}

function Templates({ templates, offers, own, choice, onChoice }: Props) {
  const offerOf = (name: string) => offers?.find((one) => one.name === name)?.offer ?? null;
  return (
    <fieldset className="choices">
      <legend className="hidden-text">Goal</legend>
      {templates.map(({ name, title, description, document }) => {
        const offer = offerOf(name);
        const refused = offer?.offered === false;
        return (
          <label key={name} className="choice" data-refused={refused || undefined}>
            <input
              type="radio"
              name="template"
              disabled={refused}
              checked={choice === name}
              onChange={() => onChoice(name, unnamed(document))}
            />
            <span>
              <strong>{title}</strong>
              <span className="small soft">{refused ? "Not on this fabric. " : description}</span>
              {offer && <span className="small offer">{offer.reason}</span>}
            </span>
          </label>
        );
      })}
      <label className="choice">
        <input type="radio" name="template" checked={choice === OWN} onChange={() => onChoice(OWN, own.text)} />
        <span>
          <strong>{own.title}</strong>
          <span className="small soft">{own.description}</span>
        </span>
      </label>
    </fieldset>
  );
}
