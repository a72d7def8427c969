// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the service does by itself about a night that fails. Administrators decide that. */

import { Button, MultiSelect, Select, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useTemplates } from "@/api/queries/campaigns";
import { useChangePolicy, useChanges } from "@/api/queries/checks";
import type { CampaignTemplate, Check, PolicyRule } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import { ANSWER_KINDS, ANSWERS, type AnswerKind, neverReached, ruleText } from "@/pages/checks/policy";

const NEW_RULE: PolicyRule = { answer: "reapply", causes: [], kinds: [], template: null };

export function PolicyPanel({ check }: { check: Check }) {
  const [editing, setEditing] = useState<{ rules: PolicyRule[]; etag: string } | null>(null);
  const change = useChangePolicy(check.name);
  const may = check.actions.includes("set_policy");
  return (
    <section className="panel stack" aria-labelledby="policy">
      <h2 id="policy">Answers to a night that fails</h2>
      {editing ? (
        <>
          <RulesForm check={check} rules={editing.rules} onChange={(rules) => setEditing({ ...editing, rules })} />
          {neverReached(editing.rules).map(({ rule, before }) => (
            <Notice key={rule} kind="warn">
              Rule {rule} never answers: rule {before} comes before it and answers all that it would.
            </Notice>
          ))}
          <Notice>
            The first rule that matches is the answer. Answers that change the fabric wait for a maintenance window of its
            inventory, if that has any. Where promotions need a second person, a rollback needs such a window, and no approval in
            it. While an answer stands, the same cause gets no other, and each can be undone.
          </Notice>
          <ErrorNotice error={change.error} title="Not saved" />
          <div className="row">
            <Button
              loading={change.isPending}
              onClick={() =>
                change.mutate({ body: { rules: editing.rules }, etag: editing.etag }, { onSuccess: () => setEditing(null) })
              }
            >
              Save
            </Button>
            <Button variant="default" onClick={() => setEditing(null)}>
              Cancel
            </Button>
          </div>
        </>
      ) : (
        <>
          {check.policy.rules.length === 0 ? (
            <p>The service reports, and changes nothing.</p>
          ) : (
            <ol>
              {check.policy.rules.map((rule, i) => (
                <li key={i}>{ruleText(rule)}</li>
              ))}
            </ol>
          )}
          {may ? (
            <div className="row">
              <Button variant="default" onClick={() => setEditing({ rules: check.policy.rules, etag: check.etag })}>
                Change the answers
              </Button>
            </div>
          ) : (
            <p className="small soft">Administrators decide what the service does by itself.</p>
          )}
        </>
      )}
    </section>
  );
}

interface RulesProps {
  check: Check;
  rules: PolicyRule[];
  onChange: (rules: PolicyRule[]) => void;
}

function RulesForm({ check, rules, onChange }: RulesProps) {
  const templates = useTemplates();
  const changes = useChanges(check.name).data;
  // What the last night has shown is a likely wish.
  const seen = [...(changes?.causes ?? []).map(({ name }) => name), ...(changes?.new_findings ?? []).map(({ code }) => code)];
  const causes = [...new Set(["changed", ...seen])];
  const kinds = [...new Set(check.entries.map(({ kind }) => kind))];
  const set = (i: number, change: Partial<PolicyRule>) =>
    onChange(rules.map((rule, j) => (i === j ? { ...rule, ...change } : rule)));
  return (
    <div className="stack">
      {rules.length === 0 && <p>No rule: the service reports, and changes nothing.</p>}
      {rules.map((rule, i) => (
        <fieldset key={i} className="panel stack rule">
          <legend>Rule {i + 1}</legend>
          <p className="small">{ruleText(rule)}</p>
          <Select
            label="Answer"
            data={ANSWER_KINDS.map((kind) => ({ value: kind, label: ANSWERS[kind].title }))}
            value={rule.answer}
            onChange={(answer) => answer && set(i, { answer: answer as AnswerKind, template: null })}
          />
          {rule.answer === "draft_campaign" && (
            <Select
              label="Template of the campaign"
              placeholder="scenario-1"
              data={choices(templates.data ?? [], rule.template)}
              value={rule.template}
              onChange={(template) => set(i, { template })}
            />
          )}
          <MultiSelect
            label="Only if an entry of these kinds fails"
            placeholder={rule.kinds.length === 0 ? "any kind" : undefined}
            data={[...new Set([...kinds, ...rule.kinds])]}
            value={rule.kinds}
            onChange={(value) => set(i, { kinds: value })}
          />
          <TagsInput
            label="Only with one of these causes"
            description="Names of likely causes, or codes of findings, such as device-drifted; a metric that is worse is “changed”. Enter adds one."
            data={causes}
            placeholder={rule.causes.length === 0 ? "any cause" : undefined}
            value={rule.causes}
            onChange={(value) => set(i, { causes: value })}
          />
          <div className="row">
            <Button size="xs" variant="default" onClick={() => onChange(rules.filter((_, j) => j !== i))}>
              Remove rule {i + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      <div className="row">
        <Button size="xs" variant="default" onClick={() => onChange([...rules, NEW_RULE])}>
          Add a rule
        </Button>
      </div>
    </div>
  );
}

/** The goals, and the name of before that a stored rule may have. */
function choices(templates: CampaignTemplate[], chosen: string | null | undefined) {
  const goals = templates.map(({ name, title }) => ({ value: name, label: title }));
  return !chosen || goals.some(({ value }) => value === chosen) ? goals : [...goals, { value: chosen, label: chosen }];
}
