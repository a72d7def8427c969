// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's document as text; what is wrong with it on its fabric is shown in place. */

import { useCheckValidation } from "@/api/queries/documents";
import { useNames } from "@/components/yaml_editor/names";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";

interface Props {
  text: string;
  fabric: string;
  name?: string;
  /** Without it, the text is only read. */
  onChange?: (text: string) => void;
  /** The service's answer to the last attempt to save. */
  error: unknown;
}

export function DocumentEditor({ text, fabric, name, onChange, error }: Props) {
  const validation = useCheckValidation({ document: text, fabric, ...(name && { name }) }, Boolean(onChange) && fabric !== "");
  const names = useNames({ "kinds.*.workload": "workloads", "kinds.*.profile": "profiles" });
  return (
    <YamlEditor
      kind="check"
      label="Document"
      value={text}
      onChange={onChange}
      problems={onChange ? validation.data?.problems : undefined}
      warnings={validation.data?.warnings}
      error={error}
      names={names}
    />
  );
}
