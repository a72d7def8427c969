// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Objectives and constraints of a campaign as tables. What there is, and what it means, is from the schema of campaigns. */

import { NumberInput, Select } from "@mantine/core";
import { useSchema } from "@/api/queries/documents";
import { keysAt, valuesAt } from "@/components/yaml_editor/schema_help";
import { EditedTable, RemoveRow } from "@/pages/campaigns/edited_table";
import {
  type Goal,
  goalName,
  goalsOf,
  type Limit,
  limitsOf,
  referenceOf,
  type Sense,
  withGoals,
  withLimits,
} from "@/pages/campaigns/goals";
import type { Spec } from "@/pages/campaigns/spec_text";

interface Props {
  spec: Spec;
  onChange: (spec: Spec) => void;
}

export function ObjectiveTable({ spec, onChange }: Props) {
  const schema = useSchema("campaign").data;
  const known = schema ? valuesAt(schema, ["objectives", 0, "objective"], {}) : [];
  const goals = goalsOf(spec).map((goal) => ({ goal, reference: referenceOf(spec, goal) }));
  const set = (index: number, change: Partial<(typeof goals)[number]>) =>
    onChange(
      withGoals(
        spec,
        goals.map((one, i) => (i === index ? { ...one, ...change } : one)),
      ),
    );
  const meaning = (goal: Goal) => known.find(({ value }) => value === goal.objective)?.description;
  return (
    <section className="stack tight" aria-labelledby="objectives">
      <h2 id="objectives">Objectives</h2>
      <p className="small soft">
        The reference is a value that is worse than any worth having: it is fixed, so that searches can be compared.
      </p>
      <EditedTable label="Objectives" columns={["Objective", "Over the workloads", "Worst value that counts"]}>
        {goals.map(({ goal, reference }, i) => (
          <tr key={i}>
            <td>
              <strong>{goal.objective}</strong>
              <div className="small soft goal-meaning">{meaning(goal)}</div>
            </td>
            <td>
              <Select
                aria-label={`Over the workloads, ${goal.objective}`}
                size="xs"
                w={120}
                data={["mean", "worst", ...(typeof goal.over === "string" ? [] : [JSON.stringify(goal.over)])]}
                value={typeof goal.over === "string" ? goal.over : JSON.stringify(goal.over)}
                onChange={(over) =>
                  (over === "mean" || over === "worst") && set(i, { goal: { objective: goal.objective, over } })
                }
              />
            </td>
            <td>
              <NumberInput
                aria-label={`Reference of ${goalName(goal)}`}
                leftSection={<span className="small soft">Reference</span>}
                leftSectionWidth={76}
                size="xs"
                w={160}
                hideControls
                value={reference ?? ""}
                error={reference === undefined}
                onChange={(value) => set(i, { reference: typeof value === "number" ? value : undefined })}
              />
            </td>
            <td>
              <RemoveRow
                name={goal.objective}
                onClick={() =>
                  onChange(
                    withGoals(
                      spec,
                      goals.filter((_, j) => j !== i),
                    ),
                  )
                }
              />
            </td>
          </tr>
        ))}
      </EditedTable>
      <Select
        label="Add an objective"
        placeholder="Choose"
        maw={360}
        data={known.map(({ value }) => value).filter((value) => goals.every(({ goal }) => goal.objective !== value))}
        value={null}
        onChange={(objective) =>
          objective && onChange(withGoals(spec, [...goals, { goal: { objective, over: "mean" }, reference: undefined }]))
        }
      />
    </section>
  );
}

const OF = [
  { value: "default", label: "its default" },
  { value: "baseline", label: "times CC off" },
  { value: "expert", label: "times the published profile" },
  { value: "value", label: "in its unit" },
];

export function ConstraintTable({ spec, onChange }: Props) {
  const schema = useSchema("campaign").data;
  const known = schema ? keysAt(schema, ["constraints"], {}) : [];
  const limits = limitsOf(spec);
  const set = (index: number, change: Partial<Limit>) =>
    onChange(
      withLimits(
        spec,
        limits.map((one, i) => (i === index ? { ...one, ...change } : one)),
      ),
    );
  const meaning = (name: string) => known.find(({ key }) => key === name)?.help.description ?? "";
  return (
    <section className="stack tight" aria-labelledby="constraints">
      <h2 id="constraints">Constraints</h2>
      <p className="small soft">No profile is recommended that breaks one of them, in any workload.</p>
      <EditedTable label="Constraints" columns={["Constraint", "Limit", "Of"]}>
        {limits.map(({ name, sense, value, of }, i) => (
          <tr key={name}>
            <td>
              <strong>{name}</strong>
              <div className="small soft goal-meaning">{meaning(name).replace(/^at_(least|most): /, "")}</div>
            </td>
            <td>
              <NumberInput
                aria-label={`Limit of ${name}`}
                leftSection={<span className="small soft">{sense === "at_least" ? "at least" : "at most"}</span>}
                leftSectionWidth={68}
                size="xs"
                w={160}
                hideControls
                min={0}
                value={value}
                onChange={(limit) => typeof limit === "number" && set(i, { value: limit })}
              />
            </td>
            <td>
              <Select
                aria-label={`Limit of ${name}, of what`}
                size="xs"
                w={200}
                data={OF}
                value={of ?? "default"}
                onChange={(chosen) => set(i, { of: chosen === "default" || chosen === null ? undefined : chosen })}
              />
            </td>
            <td>
              <RemoveRow
                name={name}
                onClick={() =>
                  onChange(
                    withLimits(
                      spec,
                      limits.filter((one) => one.name !== name),
                    ),
                  )
                }
              />
            </td>
          </tr>
        ))}
      </EditedTable>
      <Select
        label="Add a constraint"
        placeholder="Choose"
        maw={360}
        data={known.map(({ key }) => key).filter((key) => limits.every(({ name }) => name !== key))}
        value={null}
        onChange={(name) => {
          if (!name) return;
          const sense: Sense = meaning(name).startsWith("at_most") ? "at_most" : "at_least";
          onChange(withLimits(spec, [...limits, { name, sense, value: 1, of: undefined }]));
        }}
      />
    </section>
  );
}
