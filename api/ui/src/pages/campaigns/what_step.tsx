// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wizard's step for template, name, fabric and the hosts that take part. */

import { Checkbox, Select, TextInput } from "@mantine/core";
import type { CampaignTemplate, Fabric, NewCampaign } from "@/api/types";
import type { Settings } from "@/pages/campaigns/spec";
import { unnamed } from "@/pages/campaigns/spec_text";
import { Where } from "@/pages/campaigns/where";
import { FabricCapacity } from "@/pages/fabric/low_capacity";
import { LONGEST_NAME, OWN, type Start } from "@/pages/campaigns/wizard_start";

interface Props {
  templates: CampaignTemplate[];
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
      <Templates {...props} />
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
      {kind && kind !== "simulated" && (
        <Checkbox
          label="Measure in the simulator"
          description={`Otherwise each trial is applied to ${asked.fabric} as a trial run, one at a time, and the campaign holds the fabric until it ends.`}
          checked={asked.on_simulator}
          onChange={(event) => props.onSimulator(event.currentTarget.checked)}
        />
      )}
      {(kind === "simulated" || asked.on_simulator) && <FabricCapacity fabric={asked.fabric} />}
      <Where campaign={asked} counts={settings.roles} onCounts={(roles) => onSettings({ ...settings, roles })} />
    </div>
  );
}

function Templates({ templates, own, choice, onChoice }: Pick<Props, "templates" | "own" | "choice" | "onChoice">) {
  const shipped = templates.map(({ document, ...template }) => ({ ...template, text: unnamed(document) }));
  const choices = [...shipped, { name: OWN, ...own }];
  return (
    <fieldset className="choices">
      <legend className="hidden-text">Template</legend>
      {choices.map(({ name, title, description, text }) => (
        <label key={name} className="choice">
          <input type="radio" name="template" checked={choice === name} onChange={() => onChoice(name, text)} />
          <span>
            <strong>{title}</strong>
            <span className="small soft">{description}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
