// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Errors of the service (RFC 9457), as exceptions. */

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

  /** The error of one field of a form, if there is one. */
  field(name: string): string | undefined {
    return this.document.errors?.find((error) => error.field === name || error.field.endsWith(`.${name}`))?.detail;
  }
}

/** A sentence for anything that was thrown. */
export function sentence(error: unknown): string {
  if (error instanceof Problem) return error.message;
  if (error instanceof TypeError) return "The service is not responding. It may be restarting; this page retries automatically.";
  return error instanceof Error ? error.message : String(error);
}
