// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The search space as a table: a row for each field of a profile that the campaign varies. */

import { Checkbox, NumberInput, Select, TextInput } from "@mantine/core";
import { useParameters } from "@/api/queries/profiles";
import type { ParameterHelp } from "@/api/types";
import { EditedTable, RemoveRow } from "@/pages/campaigns/edited_table";
import { asKind, type FieldKind, fixedValue, kindOf, spaceOf, valuesOf, withField, withoutField } from "@/pages/campaigns/goals";
import type { Spec } from "@/pages/campaigns/spec_text";

const KINDS: { value: FieldKind; label: string }[] = [
  { value: "range", label: "range" },
  { value: "choices", label: "choices" },
  { value: "fixed", label: "fixed" },
];

interface Props {
  spec: Spec;
  onChange: (spec: Spec) => void;
}

export function SpaceTable({ spec, onChange }: Props) {
  const parameters = useParameters().data ?? [];
  const fields = spaceOf(spec);
  // Nothing that measures sets the section `nvidia` yet.
  const free = parameters.filter(
    ({ path, kind }) => kind !== "other" && !path.startsWith("nvidia.") && fields.every((one) => one.path !== path),
  );
  return (
    <section className="stack tight" aria-labelledby="space">
      <h2 id="space">Search space</h2>
      <p className="small soft">Fields of a profile that the search varies; all others are those of the base profile.</p>
      <EditedTable label="Search space" columns={["Field", "Kind", "Values"]}>
        {fields.map(({ path, domain }) => (
          <tr key={path}>
            <th scope="row">
              <code title={parameters.find((one) => one.path === path)?.help}>{path}</code>
            </th>
            <td>
              <Select
                aria-label={`Kind of ${path}`}
                size="xs"
                w={110}
                data={KINDS}
                value={kindOf(domain)}
                onChange={(kind) => onChange(withField(spec, path, asKind(domain, (kind ?? "fixed") as FieldKind)))}
              />
            </td>
            <td>
              <Values path={path} domain={domain} onChange={(changed) => onChange(withField(spec, path, changed))} />
            </td>
            <td>
              <RemoveRow name={path} onClick={() => onChange(withoutField(spec, path))} />
            </td>
          </tr>
        ))}
      </EditedTable>
      <Select
        label="Add a field"
        placeholder="Choose"
        searchable
        maw={360}
        data={free.map(({ path, help }) => ({ value: path, label: path, title: help }))}
        value={null}
        onChange={(path) => {
          const known = free.find((one) => one.path === path);
          if (known) onChange(withField(spec, known.path, firstDomain(known)));
        }}
      />
    </section>
  );
}

/** What a field may hold at all, as a start. */
function firstDomain({ kind, choices, minimum, maximum, default: preset }: ParameterHelp): unknown {
  if (kind === "choice") return { choices };
  if (kind === "boolean") return { choices: [true, false] };
  const low = minimum ?? 0;
  return { low, high: maximum ?? Math.max(low + 1, typeof preset === "number" ? preset * 2 : 0) };
}

function Values({ path, domain, onChange }: { path: string; domain: unknown; onChange: (domain: unknown) => void }) {
  const known = (domain ?? {}) as { low?: number; high?: number; step?: number; log?: boolean; choices?: unknown[] };
  const kind = kindOf(domain);
  if (kind === "range") {
    const set = (change: Record<string, unknown>) => onChange({ ...known, ...change });
    const ends = [
      ["low", "From"],
      ["high", "To"],
    ] as const;
    return (
      <div className="row">
        {ends.map(([key, label]) => (
          <NumberInput
            key={key}
            aria-label={`${label} of ${path}`}
            leftSection={<span className="small soft">{label}</span>}
            leftSectionWidth={48}
            size="xs"
            w={140}
            hideControls
            value={known[key] ?? ""}
            onChange={(value) => typeof value === "number" && set({ [key]: value })}
          />
        ))}
        <Checkbox
          size="xs"
          label="logarithmic"
          checked={known.log ?? false}
          onChange={(event) => set({ log: event.currentTarget.checked || undefined, step: undefined })}
        />
      </div>
    );
  }
  const values = kind === "choices" ? (known.choices ?? []) : [fixedValue(domain)];
  return (
    <TextInput
      key={`${kind} ${values.join()}`}
      aria-label={`Values of ${path}`}
      size="xs"
      w={300}
      description={kind === "choices" ? "Two or more, between commas." : undefined}
      defaultValue={values.map(String).join(", ")}
      onBlur={(event) => {
        const read = valuesOf(event.currentTarget.value);
        if (kind === "choices") onChange({ ...known, choices: read });
        else if (read[0] !== undefined) onChange(typeof domain === "object" ? { ...known, value: read[0] } : read[0]);
      }}
    />
  );
}
