// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the service answers when it does not do what was asked: RFC 9457, in one place made an exception. */

export interface ProblemDocument {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  instance?: string;
  errors?: { field: string; detail: string }[];
}

export class Problem extends Error {
  override readonly name = "Problem";
  readonly status: number;
  readonly document: ProblemDocument;

  constructor(status: number, document: ProblemDocument) {
    super(document.detail || document.title || `The service answered with status ${status}.`);
    this.status = status;
    this.document = document;
  }

  /** The sentence about one field of a form, if the service had one. */
  field(name: string): string | undefined {
    return this.document.errors?.find((error) => error.field === name || error.field.endsWith(`.${name}`))?.detail;
  }
}

/** One sentence for whatever was thrown. */
export function sentence(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof TypeError) return "The service does not answer. It may be restarting; this page tries again by itself.";
  return error instanceof Error ? error.message : String(error);
}
