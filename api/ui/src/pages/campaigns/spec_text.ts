// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A campaign document as text: a change of its values keeps comments and order. */

import { Document, isCollection, isMap, isPair, type ParsedNode, parseDocument, visit } from "yaml";

export type Spec = Record<string, unknown>;

const isMapping = (value: unknown): value is Spec => value !== null && typeof value === "object" && !Array.isArray(value);
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Reads by the scalar rules of YAML 1.2, as the service does. */
const read = (text: string) => parseDocument(text, { version: "1.2", schema: "core", logLevel: "silent" });

/** Characters of JSON that fit in a line. */
const ONE_LINE = 100;

const OPTIONS = { lineWidth: 0, flowCollectionPadding: false };

/** The document in a text; null: it cannot be read, or is no mapping. */
export function specOf(text: string): Spec | null {
  const document = read(text);
  if (document.errors.length > 0) return null;
  const value: unknown = document.toJS();
  return isMapping(value) ? value : null;
}

/** A document without a text of its own. Lists and mappings of plain values take one line. */
export function textOf(spec: Spec): string {
  const document = new Document(spec, { version: "1.2", schema: "core" });
  visit(document, {
    Collection: (key, node) => {
      const isPlain = !node.items.some((item) => isCollection(isPair(item) ? item.value : item));
      if (key !== null && isPlain) node.flow = true;
    },
  });
  return document.toString({ ...OPTIONS, lineWidth: 100 });
}

/** The text with the values of `spec`: what is the same stays as it is written. */
export function withSpec(text: string, spec: Spec): string {
  const document = read(text);
  const old: unknown = document.toJS();
  if (document.errors.length > 0 || !isMapping(old)) return text;
  merge(document, [], old, spec);
  return document.toString(OPTIONS);
}

function merge(document: Document.Parsed<ParsedNode>, path: string[], old: Spec, wanted: Spec): void {
  for (const key of Object.keys(old)) if (wanted[key] === undefined) document.deleteIn([...path, key]);
  for (const [key, value] of Object.entries(wanted)) {
    if (value === undefined || same(old[key], value)) continue;
    const inner = [...path, key];
    const before = old[key];
    // A mapping is changed key by key, if some of its keys stay.
    if (
      isMapping(value) &&
      isMapping(before) &&
      isMap(document.getIn(inner)) &&
      Object.keys(before).some((one) => one in value)
    ) {
      merge(document, inner, before, value);
    } else if (isMapping(value) || Array.isArray(value)) {
      document.setIn(inner, document.createNode(value, { flow: JSON.stringify(value).length <= ONE_LINE }));
    } else {
      document.setIn(inner, value);
    }
  }
}

/** A template's text as that of a new campaign, which has its name beside it. */
export function unnamed(text: string): string {
  return text.replace(/^# SPDX-License-Identifier:.*\n/, "").replace(/^name:[^\n|>]*\n/m, "");
}

/** A document to begin with, where no template is near. */
export const NEW_CAMPAIGN = `# Ctrl+Space shows what can be written; docs/use/campaigns.md explains all keys.
ibcc_campaign: 1
workloads: [scenario-1]
base: gran-2010
space:
  ca.ccti_timer: {low: 10, high: 400, log: true}
  cct.curve.full_scale_us: {low: 7.0, high: 60.0, log: true}
objectives: [victim_throughput, treatment_variation]
constraints:
  contributor_total: {at_least: 0.98}
budget: {trials: 60}
seeds: [1, 2]
confirmation: {seeds: [101, 102, 103, 104, 105]}
# For each objective a value that is worse than any worth having.
hypervolume_reference: {victim_throughput: 2, treatment_variation: 0.05}
`;
