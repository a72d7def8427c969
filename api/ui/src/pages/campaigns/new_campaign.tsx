// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A new campaign in five steps: what to cure and where, a first profile, how long to search, what to search, and a review. */

import "@/pages/campaigns/campaigns.css";
import { Button, Checkbox, NumberInput, Select, Stepper, TextInput } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useCampaign, useCreateCampaign, useTemplates } from "@/api/queries/campaigns";
import { useCampaignValidation } from "@/api/queries/documents";
import { useFabrics } from "@/api/queries/fabrics";
import { path, post } from "@/api/request";
import type { CampaignTemplate } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { DocumentStep, Verdict } from "@/pages/campaigns/document_step";
import { namesIn, parseSeeds, SAMPLERS, type Settings, settingsOf, withSettings } from "@/pages/campaigns/spec";
import { SpecSummary } from "@/pages/campaigns/spec_summary";
import { NEW_CAMPAIGN, specOf, textOf, unnamed, withSpec } from "@/pages/campaigns/spec_text";
import { SuggestedStep } from "@/pages/campaigns/suggested_step";
import { CostOf, Where } from "@/pages/campaigns/where";

const LAST_STEP = 4;
/** The choice of a document of one's own among the templates; no template has such a name. */
const OWN = "/own";

export default function NewCampaign() {
  const templates = useTemplates();
  return (
    <div className="stack">
      <PageHead title="New campaign" crumbs={[{ to: "/campaigns", text: "Campaigns" }]} />
      <QueryView query={templates} rows={8}>
        {(known) => <Wizard templates={known} />}
      </QueryView>
    </div>
  );
}

function Wizard({ templates }: { templates: CampaignTemplate[] }) {
  const fabrics = useFabrics().items ?? [];
  const [step, setStep] = useState(0);
  const [search] = useSearchParams();
  const from = search.get("from") ?? "";
  const original = useCampaign(from);
  const [choice, setChoice] = useState(from || search.has("own") ? OWN : (templates[0]?.name ?? OWN));
  const template = templates.find((one) => one.name === choice);
  const [text, setText] = useState(template ? unnamed(template.document) : from ? "" : NEW_CAMPAIGN);
  const [name, setName] = useState("");
  const [fabric, setFabric] = useState<string | null>(null);
  const [onSimulator, setOnSimulator] = useState(true);
  const chosenFabric = fabric ?? fabrics[0]?.name ?? "";
  const kind = fabrics.find((one) => one.name === chosenFabric)?.kind;
  const read = useMemo(() => specOf(text), [text]);
  const spec = read ?? {};
  const settings = settingsOf(spec);
  const setSettings = (changed: Settings) => setText(withSpec(text, withSettings(spec, changed)));
  const validation = useCampaignValidation(
    { document: text, fabric: chosenFabric, on_simulator: onSimulator },
    chosenFabric !== "" && step >= LAST_STEP - 1,
  );
  const create = useCreateCampaign();
  const navigate = useNavigate();
  const [problem, setProblem] = useState<unknown>(null);
  const former = original.data;
  useEffect(() => {
    if (former) setText((old) => old || textOf({ ...former.spec, name: undefined, backend: undefined }));
  }, [former]);
  const choose = (name: string, document: string) => {
    setChoice(name);
    setText(document);
  };

  const defaultName = template?.name ?? (former ? `${former.name} copy` : "campaign").slice(0, 64);

  const asked = { name: name || defaultName, fabric: chosenFabric, spec, on_simulator: onSimulator };

  const submit = async (start: boolean) => {
    setProblem(null);
    try {
      const campaign = await create.mutateAsync(asked);
      if (start) await post(path`/campaigns/${campaign.id}/start`, {}, { idempotent: true });
      navigate(`/campaigns/${campaign.id}`);
    } catch (error) {
      setProblem(error);
    }
  };

  return (
    <>
      <Stepper active={step} onStepClick={setStep} size="sm" allowNextStepsSelect={false}>
        <Stepper.Step label="What to cure" description="Template and fabric">
          <div className="stack">
            <fieldset className="choices">
              <legend className="hidden-text">Template</legend>
              {templates.map((one) => (
                <label key={one.name} className="choice">
                  <input
                    type="radio"
                    name="template"
                    checked={choice === one.name}
                    onChange={() => choose(one.name, unnamed(one.document))}
                  />
                  <span>
                    <strong>{one.title ?? one.name}</strong>
                    <span className="small soft">{one.description}</span>
                  </span>
                </label>
              ))}
              <label className="choice">
                <input
                  type="radio"
                  name="template"
                  checked={choice === OWN}
                  onChange={() => choose(OWN, former ? textOf({ ...former.spec, name: undefined }) : NEW_CAMPAIGN)}
                />
                <span>
                  <strong>{former ? `The document of ${former.name}` : "A document of your own"}</strong>
                  <span className="small soft">Written or pasted in the step “What to search”.</span>
                </span>
              </label>
            </fieldset>
            <div className="row bottom">
              <TextInput
                className="grow"
                label="Name of the campaign"
                placeholder={defaultName}
                maxLength={64}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
              />
              <Select
                className="grow"
                label="Fabric"
                data={fabrics.map((one) => ({ value: one.name, label: `${one.name} (${one.kind})` }))}
                value={chosenFabric || null}
                onChange={(next) => {
                  setFabric(next);
                  setSettings({ ...settings, roles: null });
                }}
              />
            </div>
            {kind && kind !== "simulated" && (
              <Checkbox
                label="Measure in the simulator"
                description={`Otherwise each trial is applied to ${chosenFabric} as a trial run, one at a time, and the campaign holds the fabric until it ends.`}
                checked={onSimulator}
                onChange={(event) => setOnSimulator(event.currentTarget.checked)}
              />
            )}
            <Where campaign={asked} counts={settings.roles} onCounts={(roles) => setSettings({ ...settings, roles })} />
          </div>
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
          {read ? <SettingsForm settings={settings} onChange={setSettings} /> : <Unreadable />}
        </Stepper.Step>
        <Stepper.Step label="What to search" description="Space, objectives">
          <DocumentStep text={text} validation={validation.data} onChange={setText} asText={choice === OWN} />
        </Stepper.Step>
        <Stepper.Step label="Review" description="Then start">
          <div className="stack">
            {read ? <SpecSummary spec={spec} fabric={chosenFabric} /> : <Unreadable />}
            {!validation.isOld && <Verdict validation={validation.data} />}
            {step === LAST_STEP && read && <CostOf campaign={asked} />}
          </div>
        </Stepper.Step>
      </Stepper>
      <ErrorNotice error={problem} title="Not created" />
      <div className="row ends">
        <Button variant="default" disabled={step === 0} onClick={() => setStep(step - 1)}>
          Back
        </Button>
        {step < LAST_STEP ? (
          <Button disabled={!chosenFabric} onClick={() => setStep(step + 1)}>
            Next
          </Button>
        ) : (
          <span className="row">
            <Button variant="default" loading={create.isPending} disabled={!read} onClick={() => submit(false)}>
              Keep as a draft
            </Button>
            <Button loading={create.isPending} disabled={!read} onClick={() => submit(true)}>
              Start
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

function SettingsForm({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const [seeds, setSeeds] = useState(settings.seeds.join(", "));
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  return (
    <div className="halves">
      <div className="stack">
        <NumberInput
          label="Trials"
          description="Each trial is one profile, measured with every workload and seed."
          min={1}
          allowDecimal={false}
          value={settings.trials}
          onChange={(value) => set({ trials: Number(value) || 1 })}
        />
        <NumberInput
          label="Time [s]"
          description="Longest time of the search; empty for no limit. The confirmation follows it."
          min={1}
          value={settings.time_s ?? ""}
          onChange={(value) => set({ time_s: value === "" ? null : Number(value) })}
        />
        <NumberInput
          label="Parallel trials"
          description="Trials measured at the same time. On a real fabric it is always one."
          min={1}
          allowDecimal={false}
          value={settings.parallel}
          onChange={(value) => set({ parallel: Number(value) || 1 })}
        />
      </div>
      <div className="stack">
        <TextInput
          label="Seeds"
          description="Integers. All trials use the same seeds, so that profiles do not differ by chance."
          value={seeds}
          error={parseSeeds(seeds) ? undefined : `“${seeds}” is not a list of integers such as 1, 2, 3.`}
          onChange={(event) => {
            setSeeds(event.currentTarget.value);
            const parsed = parseSeeds(event.currentTarget.value);
            if (parsed) set({ seeds: parsed });
          }}
        />
        <NumberInput
          label="Time scale"
          description="Factor on the workloads' times in the search."
          min={0.01}
          max={1}
          step={0.05}
          value={settings.time_scale}
          onChange={(value) => set({ time_scale: Number(value) || 1 })}
        />
        <NumberInput
          label="Time scale of the confirmation"
          description="Factor on the workloads' times when the best profiles are measured again. Less than 1 makes the recommendation less certain."
          min={0.01}
          max={1}
          step={0.05}
          value={settings.confirmation_scale}
          onChange={(value) => set({ confirmation_scale: Number(value) || 1 })}
        />
        <Select
          label="Sampler"
          description="tpe learns from the trials. nsga2 needs hundreds of trials. qmc, random and grid do not learn."
          data={SAMPLERS}
          value={settings.sampler}
          onChange={(value) => set({ sampler: value ?? "tpe" })}
        />
      </div>
    </div>
  );
}
