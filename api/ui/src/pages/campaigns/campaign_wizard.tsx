// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A campaign in five steps: what to cure and where, a first profile, how long to search, what to search, and a review. */

import { Button, Stepper } from "@mantine/core";
import { useMemo, useState } from "react";
import { useNavigate } from "react-router";
import { useCampaignPlan, useOffers, useSaveCampaign } from "@/api/queries/campaigns";
import { useCampaignValidation } from "@/api/queries/documents";
import { useFabrics } from "@/api/queries/fabrics";
import { path, post } from "@/api/request";
import type { Campaign, CampaignTemplate } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import { DocumentStep, Verdict } from "@/pages/campaigns/document_step";
import { LengthStep } from "@/pages/campaigns/length_step";
import { namesIn, type Settings, settingsOf, withSettings } from "@/pages/campaigns/spec";
import { SpecSummary } from "@/pages/campaigns/spec_summary";
import { specOf, unnamed, withSpec } from "@/pages/campaigns/spec_text";
import { SuggestedStep } from "@/pages/campaigns/suggested_step";
import { WhatStep } from "@/pages/campaigns/what_step";
import { CostOf } from "@/pages/campaigns/where";
import { OWN, type Start } from "@/pages/campaigns/wizard_start";

const LAST_STEP = 4;

interface Props {
  templates: CampaignTemplate[];
  start: Start;
  /** The draft that is edited; without it, a campaign is created. */
  draft?: Campaign;
}

export function CampaignWizard({ templates, start, draft }: Props) {
  const fabrics = useFabrics().items ?? [];
  const [step, setStep] = useState(0);
  const [choice, setChoice] = useState(start.choice);
  const [text, setText] = useState(start.text);
  const [name, setName] = useState(start.name);
  const [fabric, setFabric] = useState(start.fabric);
  const [onSimulator, setOnSimulator] = useState(start.onSimulator);
  const chosenFabric = fabric ?? fabrics[0]?.name ?? "";
  const offers = useOffers(chosenFabric).data;
  const refused = offers?.find((one) => one.name === choice)?.offer?.offered === false;
  const possible = offers?.find((one) => one.offer?.offered);
  if (refused && possible && draft === undefined) {
    setChoice(possible.name);
    setText(unnamed(possible.document));
  }
  const read = useMemo(() => specOf(text), [text]);
  const spec = read ?? {};
  const settings = settingsOf(spec);
  const setSettings = (changed: Settings) => setText(withSpec(text, withSettings(spec, changed)));
  const validation = useCampaignValidation(
    { document: text, fabric: chosenFabric, on_simulator: onSimulator },
    chosenFabric !== "" && step >= LAST_STEP - 1,
  );
  const save = useSaveCampaign(draft);
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>(null);
  const proposed = draft?.name ?? (choice === OWN ? start.proposed : choice);
  const values = choice === OWN ? start.settings : {};
  const asked = { name: name || proposed, fabric: chosenFabric, spec, settings: values, on_simulator: onSimulator };

  const plan = useCampaignPlan(asked, step >= LAST_STEP - 1).data;

  const submit = async (begin: boolean) => {
    setProblem(null);
    try {
      const campaign = await save.mutateAsync(asked);
      if (begin) await post(path`/campaigns/${campaign.id}/start`, {}, { idempotent: true });
      navigate(`/campaigns/${campaign.id}`);
    } catch (error) {
      setProblem(error);
    }
  };

  return (
    <>
      <Stepper active={step} onStepClick={setStep} size="sm" allowNextStepsSelect={draft !== undefined}>
        <Stepper.Step label="What to cure" description="Fabric and goal">
          <WhatStep
            templates={templates}
            offers={offers}
            fabrics={fabrics}
            own={start.own}
            choice={choice}
            onChoice={(chosen, document) => {
              setChoice(chosen);
              setText(document);
            }}
            name={name}
            proposed={proposed}
            onName={setName}
            onFabric={(next) => {
              setFabric(next);
              setSettings({ ...settings, roles: null, subnet: null });
            }}
            onSimulator={setOnSimulator}
            settings={settings}
            onSettings={setSettings}
            asked={asked}
          />
        </Stepper.Step>
        <Stepper.Step label="A first profile" description="Without any trial">
          <SuggestedStep
            fabric={chosenFabric}
            workloads={namesIn(spec, "workloads")}
            roles={settings.roles}
            measured={settings.suggestion}
            onMeasured={(suggestion) => setSettings({ ...settings, suggestion })}
          />
        </Stepper.Step>
        <Stepper.Step label="How long" description="Trials, time, seeds">
          {read ? <LengthStep settings={settings} onChange={setSettings} /> : <Unreadable />}
        </Stepper.Step>
        <Stepper.Step label="What to search" description="Space, objectives">
          <DocumentStep
            text={text}
            validation={validation.data}
            ofDevices={plan?.space}
            onChange={setText}
            asText={choice === OWN}
          />
        </Stepper.Step>
        <Stepper.Step label="Review" description={draft ? "Then save" : "Then start"}>
          <div className="stack">
            {read ? <SpecSummary spec={spec} fabric={chosenFabric} plan={plan} /> : <Unreadable />}
            {!validation.isOld && <Verdict validation={validation.data} />}
            {step === LAST_STEP && read && <CostOf campaign={asked} />}
          </div>
        </Stepper.Step>
      </Stepper>
      <ErrorNotice error={problem} title={draft ? "Not saved" : "Not created"} />
      <div className="row ends">
        <Button variant="default" disabled={step === 0} onClick={() => setStep(step - 1)}>
          Back
        </Button>
        {step < LAST_STEP ? (
          <Button disabled={!chosenFabric || refused} onClick={() => setStep(step + 1)}>
            Next
          </Button>
        ) : (
          <span className="row">
            <Button variant="default" loading={save.isPending} disabled={!read} onClick={() => submit(false)}>
              {draft ? "Save the draft" : "Keep as a draft"}
            </Button>
            <Button loading={save.isPending} disabled={!read} onClick={() => submit(true)}>
              {draft ? "Save and start" : "Start"}
            </Button>
          </span>
        )}
      </div>
    </>
  );
}

function Unreadable() {
  return <Notice kind="warn">The document is not valid YAML. Correct it in the step “What to search”.</Notice>;
}
