// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Keys and values that may stand where the cursor is, and help for what stands under the pointer. */

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { parse, parseDocument } from "yaml";
import { placeAt } from "@/components/yaml_editor/place";
import { type Help, helpAt, keysAt, type Schema, type Step, valuesAt } from "@/components/yaml_editor/schema_help";

/** Names that have a part in common with what is written so far. */
export type Lookup = (part: string) => Promise<readonly { name: string; detail?: string }[]>;

/** Names that only the service knows, by the place where they are written: "workloads.*". */
export type Names = Record<string, readonly string[] | Lookup>;

/** The document as far as it can be read. */
function documentIn(text: string): unknown {
  try {
    return parseDocument(text, { version: "1.2", schema: "core", logLevel: "silent" }).toJS();
  } catch {
    return undefined;
  }
}

function namesAt(names: Names, path: readonly Step[]): readonly string[] | Lookup {
  const exact = path.join(".");
  return names[exact] ?? names[path.map((step) => (typeof step === "number" ? "*" : step)).join(".")] ?? [];
}

type Offer = CompletionResult | null;

export function complete(context: CompletionContext, schema: Schema | undefined, names: Names): Offer | Promise<Offer> {
  const text = context.state.doc.toString();
  const place = placeAt(text, context.pos);
  const word = text.slice(place.from, context.pos);
  if (!context.explicit && word === "") return null;
  const document = documentIn(text);
  const options: Completion[] = [];
  const known = namesAt(names, place.path);
  if (place.kind !== "key" && typeof known === "function") return lookUp(known, word, context);
  if (place.kind !== "key" && typeof known !== "function") {
    for (const name of known) options.push({ label: name, type: "constant" });
    for (const { value, description } of schema ? valuesAt(schema, place.path, document) : [])
      options.push({ label: value, type: "enum", ...(description && { info: description }) });
  }
  if (place.kind !== "value" && schema) {
    const written = keysWritten(document, place.path);
    for (const { key, required, help } of keysAt(schema, place.path, document)) {
      if (written.has(key) && key !== word) continue;
      // An item of a list that is no mapping has no keys to begin with.
      options.push({
        label: key,
        detail: required ? "required" : undefined,
        type: "property",
        apply: /^\s*:/.test(text.slice(context.pos)) ? key : `${key}: `,
        info: () => helpElement(help),
        boost: required ? 1 : 0,
      });
    }
  }
  if (options.length === 0) return null;
  return { from: place.from, options, validFor: /^[\w.[\]=+-]*$/ };
}

/** Offers what the service finds; it has filtered the names already. */
async function lookUp(known: Lookup, word: string, { pos, state }: CompletionContext): Promise<Offer> {
  const quote = /^["']/.exec(word)?.[0] ?? "";
  const found = await known(word.slice(quote.length));
  const isClosed = quote !== "" && state.sliceDoc(pos, pos + 1) === quote;
  const options = found.map(({ name, detail }): Completion => ({ label: name, detail, type: "constant", apply: inYaml(name) }));
  return options.length > 0 ? { from: pos - word.length, to: isClosed ? pos + 1 : pos, options, filter: false } : null;
}

const PLAIN = /^[\p{L}\p{N}_]([\p{L}\p{N}_ ./'<>()+-]*[\p{L}\p{N}_.)>])?$/u;

/** A text as YAML, in brackets too: in quotes if it would mean something else without. */
export function inYaml(text: string): string {
  const isPlain = PLAIN.test(text) && parse(text, { version: "1.2", schema: "core" }) === text;
  return isPlain ? text : JSON.stringify(text);
}

function keysWritten(document: unknown, path: readonly Step[]): Set<string> {
  const value = path.reduce<unknown>(
    (inner, step) => (inner !== null && typeof inner === "object" ? (inner as Record<Step, unknown>)[step] : undefined),
    document,
  );
  return new Set(value !== null && typeof value === "object" ? Object.keys(value) : []);
}

/** The key or value at a position, with its help; null: there is none, or the schema says nothing about it. */
export function helpFor(text: string, position: number, schema: Schema): { from: number; to: number; help: Help } | null {
  const word = wordAt(text, position);
  if (!word) return null;
  const place = placeAt(text, word.from + 1);
  const path = place.kind === "key" ? [...place.path, text.slice(word.from, word.to)] : place.path;
  const help = helpAt(schema, path, documentIn(text));
  return help && (help.description || help.kind) ? { ...word, help } : null;
}

const LETTER = /[\w.]/;

function wordAt(text: string, position: number): { from: number; to: number } | null {
  let [from, to] = [position, position];
  while (from > 0 && LETTER.test(text[from - 1] ?? "")) from--;
  while (to < text.length && LETTER.test(text[to] ?? "")) to++;
  return from < to ? { from, to } : null;
}

export function helpElement(help: Help): HTMLElement {
  const box = document.createElement("div");
  box.className = "yaml-help";
  for (const [name, content] of [
    ["kind", help.kind],
    ["text", help.description.replaceAll("`", "")],
    ["kind", help.default && `Default: ${help.default}`],
  ] as const) {
    if (!content) continue;
    const line = document.createElement("p");
    line.className = name;
    line.textContent = content;
    box.append(line);
  }
  return box;
}
