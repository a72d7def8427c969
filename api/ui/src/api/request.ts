// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/**
 * Requests to the service. The browser sends the session's cookie; requests that change something carry the CSRF token; an answer
 * other than 2xx is thrown as a `Problem`.
 */

import { isUnattended } from "@/api/attention";
import { Problem, type ProblemDocument } from "@/api/problem";

export const API = "/api/v1";

type Scalar = string | number | boolean | null | undefined;
type Query = Record<string, Scalar | readonly string[]>;

interface Options {
  query?: Query;
  body?: unknown;
  /** A file, which is sent as it is in place of a body. */
  file?: Blob;
  /** The ETag to change: the service answers 412 if somebody else has changed the object. */
  ifMatch?: string;
  /** The object must be new: the service answers 412 if somebody else has added it. */
  isNew?: boolean;
  /** For actions on a fabric: a request that is sent twice is done once. */
  idempotent?: boolean;
  signal?: AbortSignal;
}

export interface Answer<T> {
  body: T;
  etag: string | null;
  location: string | null;
}

let csrfToken: string | null = null;
let whenUnauthenticated: () => void = () => {};

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Registers what to do when the session has ended. */
export function onUnauthenticated(react: () => void): void {
  whenUnauthenticated = react;
}

/** The service no longer knows the session. */
export function sessionEnded(): void {
  whenUnauthenticated();
}

export function address(path: string, query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one: Scalar): [string, Scalar] => [key, one]),
  );
  const given = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return `${API}${path}${search ? `?${search}` : ""}`;
}

/** A path with its parts escaped, since names can contain any printable character. */
export function path(strings: TemplateStringsArray, ...parts: (string | number)[]): string {
  return strings.reduce((whole, text, i) => whole + encodeURIComponent(String(parts[i - 1])) + text);
}

export async function send<T>(method: string, where: string, options: Options = {}): Promise<Answer<T>> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.file) headers["Content-Type"] = "application/octet-stream";
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.isNew) headers["If-None-Match"] = "*";
  if (options.idempotent) headers["Idempotency-Key"] = crypto.randomUUID?.() ?? randomKey();
  if (method !== "GET" && csrfToken) headers["X-CSRF-Token"] = csrfToken;
  if (isUnattended()) headers["X-Unattended"] = "1"; // the session's idle time continues
  const response = await fetch(address(where, options.query), {
    method,
    headers,
    body: options.file ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
    credentials: "same-origin",
    signal: options.signal,
  });
  if (!response.ok) {
    if (response.status === 401 && where !== "/session") sessionEnded();
    throw new Problem(response.status, await problemDocument(response));
  }
  const empty = response.status === 204 || response.headers.get("Content-Length") === "0";
  return {
    body: (empty ? undefined : await response.json()) as T,
    etag: response.headers.get("ETag"),
    location: response.headers.get("Location"),
  };
}

export async function get<T>(where: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await send<T>("GET", where, { query, signal })).body;
}

export async function post<T>(where: string, body?: unknown, options: Options = {}): Promise<T> {
  return (await send<T>("POST", where, { ...options, body })).body;
}

async function problemDocument(response: Response): Promise<ProblemDocument> {
  try {
    return (await response.json()) as ProblemDocument;
  } catch {
    return { status: response.status, title: response.statusText || `Status ${response.status}` };
  }
}

/** For pages over plain http from another machine, where browsers have no randomUUID. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
