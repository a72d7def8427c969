// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's policy in plain words. */

import type { PolicyRule } from "@/api/types";

export type AnswerKind = PolicyRule["answer"];

export const ANSWERS: Record<AnswerKind, { title: string; meaning: string }> = {
  reapply: {
    title: "Apply the base again",
    meaning: "reads back all devices, and sets values that differ from the base profile’s again",
  },
  rollback: {
    title: "Roll back",
    meaning: "makes the former base profile the base again",
  },
  draft_campaign: {
    title: "Draft a campaign",
    meaning: "creates a campaign as a draft, which a person starts",
  },
};

export const ANSWER_KINDS = Object.keys(ANSWERS) as AnswerKind[];

/** "If a night fails, in an entry of kind tables, with the cause device-drifted: reads back all devices, …". */
export function ruleText({ answer, causes, kinds, template }: PolicyRule): string {
  const among = (names: string[], one: string, several: string) =>
    names.length === 0
      ? ""
      : names.length === 1
        ? `, ${one} ${names[0]}`
        : `, ${several} ${names.slice(0, -1).join(", ")} or ${names[names.length - 1]}`;
  const when = `${among(kinds, "in an entry of kind", "in an entry of kind")}${among(causes, "with the cause", "with one of the causes")}`;
  const what = ANSWERS[answer].meaning;
  const from = answer === "draft_campaign" && template ? `, from the template ${template}` : "";
  return `If a night fails${when}, the service ${what}${from}.`;
}

/** Numbers, from 1, of rules that never answer, and of the rule before them that answers all that they would. */
export function neverReached(rules: readonly PolicyRule[]): { rule: number; before: number }[] {
  const covers = (wide: readonly string[], narrow: readonly string[]) =>
    wide.length === 0 || (narrow.length > 0 && narrow.every((name) => wide.includes(name)));
  return rules.flatMap((rule, i) => {
    const before = rules.slice(0, i).findIndex((one) => covers(one.causes, rule.causes) && covers(one.kinds, rule.kinds));
    return before < 0 ? [] : [{ rule: i + 1, before: before + 1 }];
  });
}
