// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An editor of a profile, as a form with help or as text; the service validates it while it is edited. */

import "@/pages/profiles/profiles.css";
import { Tabs } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useCallback, useMemo } from "react";
import { useParameters, useValidation } from "@/api/queries/profiles";
import type { ParameterHelp, Validation } from "@/api/types";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { titleOf } from "@/format/quantity";
import { CurvePanel } from "@/pages/profiles/curve_panel";
import { read, valueAt, withValue } from "@/pages/profiles/document";
import { ParameterInput } from "@/pages/profiles/parameter_input";

interface Props {
  text: string;
  /** The former text, which the curve is compared with. */
  before?: string;
  onChange: (text: string) => void;
}

/** Milliseconds without a key press before the service is asked. */
const SETTLED_MS = 250;

const GROUPS: Record<string, string> = {
  link: "Link",
  switch: "Switch",
  ca: "Channel adapter (CA)",
  cct: "Congestion control table (CCT)",
};

export function Editor({ text, before, onChange }: Props) {
  const [settled] = useDebouncedValue(text, SETTLED_MS);
  const validation = useValidation(settled);
  const former = useValidation(before ?? "");
  const readable = useMemo(() => read(text).errors.length === 0, [text]);
  return (
    <div className="editor">
      <Tabs defaultValue="form" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="form">Form</Tabs.Tab>
          <Tabs.Tab value="yaml">YAML</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="form" pt="md">
          {readable ? (
            <Form text={text} validation={validation.data} onChange={onChange} />
          ) : (
            <Notice kind="warn">The text is not valid YAML. Correct it under “YAML” to use the form again.</Notice>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="yaml" pt="md">
          <YamlEditor
            kind="profile"
            label="Document"
            description="The form keeps comments. Overrides for single devices and ports are written here."
            value={text}
            onChange={onChange}
            problems={validation.data?.problems}
          />
        </Tabs.Panel>
      </Tabs>
      <div className="editor-side stack">
        <Verdict validation={validation.data} error={validation.error} />
        <CurvePanel
          name="now"
          curve={validation.data?.curve ?? []}
          reach={validation.data?.reach}
          before={before ? former.data?.curve : undefined}
        />
      </div>
    </div>
  );
}

function Form({
  text,
  validation,
  onChange,
}: {
  text: string;
  validation: Validation | undefined;
  onChange: (text: string) => void;
}) {
  const parameters = useParameters();
  const problemOf = useCallback(
    (path: string) => validation?.problems.find((problem) => problem.path === path)?.detail,
    [validation],
  );
  return (
    <QueryView query={parameters} rows={12}>
      {(known) => {
        const groups = Map.groupBy(known, ({ path }) => path.split(".")[0] ?? "");
        return (
          <div className="stack">
            {[...groups].map(([group, members]) => (
              <fieldset key={group} className="group">
                <legend>
                  {members.every(({ path }) => !path.includes(".")) ? "Profile" : (GROUPS[group] ?? titleOf(group))}
                </legend>
                <div className="parameter-grid">
                  {members.map((parameter: ParameterHelp) => (
                    <ParameterInput
                      key={parameter.path}
                      parameter={parameter}
                      value={valueAt(text, parameter.path)}
                      problem={problemOf(parameter.path)}
                      onChange={(value) => onChange(withValue(text, parameter.path, value))}
                    />
                  ))}
                </div>
              </fieldset>
            ))}
          </div>
        );
      }}
    </QueryView>
  );
}

function Verdict({ validation, error }: { validation: Validation | undefined; error: unknown }) {
  if (error) return <Notice kind="bad">The service could not validate this text.</Notice>;
  if (!validation) return null;
  if (validation.valid) return <Notice kind="good">The profile is valid.</Notice>;
  return (
    <Notice kind="bad" title="Not valid">
      <ul>
        {validation.problems.map(({ path, line, detail }) => (
          <li key={`${path} ${detail}`}>
            {line ? `Line ${line}: ` : ""}
            {detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
