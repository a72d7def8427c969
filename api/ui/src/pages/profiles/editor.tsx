// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An editor of a profile, as a form with help or as text; the service validates it while it is edited. */

import "@/pages/profiles/profiles.css";
import { Tabs } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useMemo } from "react";
import { useEditedValidation, useValidation } from "@/api/queries/profiles";
import type { Validation } from "@/api/types";
import { useAddress } from "@/components/address";
import { Former } from "@/components/former";
import { Notice } from "@/components/notice";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { CurvePanel } from "@/pages/profiles/curve_panel";
import { read } from "@/pages/profiles/document";
import { ProfileForm } from "@/pages/profiles/profile_form";

interface Props {
  /** Name of the profile; empty for a new one. */
  edited: string;
  text: string;
  /** The former text, which the curve is compared with. */
  before?: string;
  /** The fabric that the profile is used on, if it is used on one; the address may name another. */
  belongsTo?: string | null;
  onChange: (text: string) => void;
}

/** Milliseconds without a key press before the service is asked. */
const SETTLED_MS = 250;

export function Editor({ edited, text, before, belongsTo, onChange }: Props) {
  const address = useAddress();
  const fabric = address.get("fabric") || belongsTo || "";
  const [settled] = useDebouncedValue(text, SETTLED_MS);
  const validation = useEditedValidation(edited, settled);
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
            <ProfileForm
              text={text}
              validation={validation.data}
              fabric={fabric}
              belongsTo={belongsTo}
              onFabric={(name) => address.set({ fabric: name }, { replace: true })}
              onChange={onChange}
            />
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
        <Former when={validation.isPlaceholderData}>
          <Verdict validation={validation.data} error={validation.error} />
          <CurvePanel
            name="now"
            curve={validation.data?.curve ?? []}
            reach={validation.data?.reach}
            before={before ? former.data?.curve : undefined}
          />
        </Former>
      </div>
    </div>
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
