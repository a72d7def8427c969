// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The wizard's step for all that the others do not ask: search space, objectives and constraints as tables, or the whole document. */

import { Tabs } from "@mantine/core";
import type { DocumentValidation } from "@/api/types";
import { DataTable } from "@/components/data_table";
import { Notice } from "@/components/notice";
import { useNames } from "@/components/yaml_editor/names";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { ConstraintTable, ObjectiveTable } from "@/pages/campaigns/goal_tables";
import { SpaceTable } from "@/pages/campaigns/space_table";
import { rangeOf } from "@/pages/campaigns/spec";
import { type Spec, specOf, withSpec } from "@/pages/campaigns/spec_text";

interface Props {
  text: string;
  validation: DocumentValidation | undefined;
  /** The space of the fabric's devices, for a document without one. */
  ofDevices?: Spec | undefined;
  onChange: (text: string) => void;
  /** The document is shown first. */
  asText: boolean;
}

export function DocumentStep({ text, validation, ofDevices, onChange, asText }: Props) {
  const spec = specOf(text);
  const change = (changed: Spec) => onChange(withSpec(text, changed));
  return (
    <Tabs defaultValue={asText ? "document" : "tables"} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="tables">Tables</Tabs.Tab>
        <Tabs.Tab value="document">Document</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="tables" pt="md">
        {spec ? (
          <div className="stack">
            {spec.space === undefined ? <SpaceOfDevices space={ofDevices} /> : <SpaceTable spec={spec} onChange={change} />}
            <ObjectiveTable spec={spec} onChange={change} />
            <ConstraintTable spec={spec} onChange={change} />
            <Verdict validation={validation} />
          </div>
        ) : (
          <Notice kind="warn">The text is not valid YAML. Correct it under “Document” to use the tables again.</Notice>
        )}
      </Tabs.Panel>
      <Tabs.Panel value="document" pt="md">
        <CampaignEditor text={text} validation={validation} onChange={onChange} />
      </Tabs.Panel>
    </Tabs>
  );
}

function SpaceOfDevices({ space }: { space: Spec | undefined }) {
  return (
    <section className="stack tight" aria-labelledby="space">
      <h2 id="space">Search space</h2>
      <p className="small soft">
        It follows from the devices of the fabric, about the values that are suggested for these hosts. A document with{" "}
        <code>base</code> and <code>space</code> has its own.
      </p>
      <DataTable
        caption="Search space"
        columns={[
          { key: "field", title: "Field", head: true, value: ([field]) => field, show: ([field]) => <code>{field}</code> },
          { key: "range", title: "Values", value: ([, domain]) => rangeOf(domain) },
        ]}
        rows={Object.entries(space ?? {})}
        rowKey={([field]) => field}
        empty="It is not known yet."
      />
    </section>
  );
}

function CampaignEditor({ text, validation, onChange }: Omit<Props, "asText" | "ofDevices">) {
  const names = useNames({
    "workloads.*": "workloads",
    "screening.workloads.*": "workloads",
    "confirm_on.workloads.*": "workloads",
    "start_from.*": "profiles",
    base: "profiles",
    baseline: "profiles",
    expert: "profiles",
  });
  return (
    <div className="stack">
      <YamlEditor
        kind="campaign"
        label="Document"
        description="Profiles and workloads are named as they are in the service; the name and the fabric are those of the first step."
        value={text}
        onChange={onChange}
        problems={validation?.problems}
        warnings={validation?.warnings}
        names={names}
      />
      {validation?.valid && <Notice kind="good">The document is valid.</Notice>}
    </div>
  );
}

/** What is wrong with the document, where its text is not shown. */
export function Verdict({ validation }: { validation: DocumentValidation | undefined }) {
  if (!validation || validation.valid) return null;
  return (
    <Notice kind="bad" title="Not valid">
      <ul className="yaml-problems">
        {validation.problems.slice(0, 12).map(({ line, detail }, i) => (
          <li key={i}>
            {line !== null && `Line ${line}: `}
            {detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
