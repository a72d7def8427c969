// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a JSON Schema says about a place in a document: keys, values, and help for people. */

export type Schema = { [keyword: string]: unknown };
export type Step = string | number;

export interface KeyHelp {
  key: string;
  required: boolean;
  help: Help;
}

export interface Help {
  /** Such as "number, from 0 to 1" or "text". */
  kind: string;
  description: string;
  /** Default value as YAML; empty: there is none. */
  default: string;
}

const isSchema = (value: unknown): value is Schema => value !== null && typeof value === "object" && !Array.isArray(value);
const schemas = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);

/** Schemas refer to themselves; nothing is nested deeper than documents may be. */
const MOST_ALTERNATIVES = 64;

/** All schemas that may apply: references resolved, `anyOf`, `oneOf` and `allOf` taken apart. */
function alternatives(root: Schema, schema: Schema): Schema[] {
  const found: Schema[] = [];
  const waiting = [schema];
  const seen = new Set<Schema>();
  while (waiting.length > 0 && found.length < MOST_ALTERNATIVES) {
    const one = waiting.shift() as Schema;
    if (seen.has(one)) continue;
    seen.add(one);
    if (typeof one.$ref === "string") {
      const target = one.$ref
        .split("/")
        .slice(1)
        .reduce<unknown>((value, step) => (isSchema(value) ? value[step] : undefined), root);
      // A description beside the reference is of this place, and says more than the one of the target.
      if (isSchema(target)) waiting.push(one.description ? { ...target, description: one.description } : target);
      continue;
    }
    const parts = [...schemas(one.anyOf), ...schemas(one.oneOf), ...schemas(one.allOf)];
    waiting.push(...parts);
    if (parts.length === 0 || one.properties || one.items) found.push(one);
  }
  return found;
}

/** Those alternatives that the value's discriminators allow: `kind: incast` leaves that pattern only. */
function fitting(found: Schema[], value: unknown): Schema[] {
  if (!isSchema(value) || found.length < 2) return found;
  const fits = found.filter((one) => {
    const properties = isSchema(one.properties) ? one.properties : {};
    return Object.entries(properties).every(([key, property]) => {
      const wanted = isSchema(property) && property.const;
      return wanted === undefined || wanted === false || value[key] === undefined || value[key] === wanted;
    });
  });
  return fits.length > 0 ? fits : found;
}

/** The schemas that may apply to the value at a path; `document` decides between alternatives. */
export function schemasAt(root: Schema, path: readonly Step[], document: unknown): Schema[] {
  let value = document;
  let found = fitting(alternatives(root, root), value);
  for (const step of path) {
    const inner = found.flatMap((one) => {
      if (typeof step === "number") return isSchema(one.items) ? [one.items] : [];
      const properties = isSchema(one.properties) ? one.properties : {};
      if (isSchema(properties[step])) return [properties[step]];
      return isSchema(one.additionalProperties) ? [one.additionalProperties] : [];
    });
    value = value !== null && typeof value === "object" ? (value as Record<Step, unknown>)[step] : undefined;
    found = fitting(
      inner.flatMap((one) => alternatives(root, one)),
      value,
    );
  }
  return found;
}

/** The keys that a mapping at that path may have, the required ones first. */
export function keysAt(root: Schema, path: readonly Step[], document: unknown): KeyHelp[] {
  const found = new Map<string, KeyHelp>();
  for (const one of schemasAt(root, path, document)) {
    const required = Array.isArray(one.required) ? one.required : [];
    for (const [key, property] of Object.entries(isSchema(one.properties) ? one.properties : {})) {
      if (!found.has(key) && isSchema(property))
        found.set(key, { key, required: required.includes(key), help: helpOf(root, property) });
    }
    for (const [key, description] of namedKeys(one))
      found.set(key, { key, required: false, help: { kind: "", description, default: "" } });
  }
  return [...found.values()].sort((a, b) => Number(b.required) - Number(a.required));
}

/** Names that a mapping's keys are taken from, with what each means. */
function namedKeys(schema: Schema): [string, string][] {
  const names = schemas([schema.propertyNames]).flatMap((one) => schemas(one.anyOf));
  return names.flatMap((one) => (typeof one.const === "string" ? [[one.const, text(one.description)] as [string, string]] : []));
}

export interface ValueHelp {
  value: string;
  description: string;
}

/** The values that a schema lists for a place, as YAML. */
export function valuesAt(root: Schema, path: readonly Step[], document: unknown): ValueHelp[] {
  const found = new Map<string, string>();
  for (const one of schemasAt(root, path, document)) {
    if (one.const !== undefined) found.set(written(one.const), text(one.description));
    for (const value of [...list(one.enum), ...(isScalarSchema(one) ? list(one.examples) : [])])
      if (!found.has(written(value))) found.set(written(value), "");
    if (one.type === "boolean") for (const value of ["true", "false"]) found.set(value, found.get(value) ?? "");
  }
  return [...found].map(([value, description]) => ({ value, description }));
}

const isScalarSchema = (one: Schema) => one.type !== "object" && one.type !== "array";

/** Help for the value at a path; null: the schema does not know the place. */
export function helpAt(root: Schema, path: readonly Step[], document: unknown): Help | null {
  const last = path.at(-1);
  const around = schemasAt(root, path.slice(0, -1), document);
  for (const one of around) {
    const properties = isSchema(one.properties) ? one.properties : {};
    const property = typeof last === "string" ? properties[last] : one.items;
    if (isSchema(property)) return helpOf(root, property);
    const named = namedKeys(one).find(([key]) => key === last);
    if (named) return { kind: "", description: named[1], default: "" };
    if (isSchema(one.additionalProperties)) return helpOf(root, one.additionalProperties);
  }
  return null;
}

function helpOf(root: Schema, schema: Schema): Help {
  const found = alternatives(root, schema);
  const kinds = [...new Set(found.map(kindOf).filter(Boolean))];
  const described = [schema, ...found].find((one) => one.description);
  return {
    kind: kinds.slice(0, 4).join(", or "),
    description: text(described?.description),
    default: schema.default === undefined || schema.default === null ? "" : written(schema.default),
  };
}

const NAMES: Record<string, string> = {
  integer: "whole number",
  number: "number",
  string: "text",
  boolean: "true or false",
  array: "list",
  object: "mapping",
  null: "nothing",
};

function kindOf(schema: Schema): string {
  if (schema.const !== undefined) return written(schema.const);
  const listed = list(schema.enum);
  if (listed.length > 0) return listed.map(written).join(" or ");
  const name = typeof schema.type === "string" ? (NAMES[schema.type] ?? schema.type) : "";
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema;
  const low = minimum !== undefined ? `from ${minimum}` : exclusiveMinimum !== undefined ? `above ${exclusiveMinimum}` : "";
  const high = maximum !== undefined ? `to ${maximum}` : exclusiveMaximum !== undefined ? `below ${exclusiveMaximum}` : "";
  const range = low && high ? `${low} ${high}` : low || (high && `up ${high}`);
  return [name, range].filter(Boolean).join(" ");
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

/** A value as YAML in one line. */
function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
