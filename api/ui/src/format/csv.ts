// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Downloads of tables and documents. */

export type Cell = string | number | boolean | null | undefined;

/** A table after RFC 4180. A cell that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csv(columns: string[], rows: Cell[][]): string {
  return [columns, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Cell): string {
  if (value === null || value === undefined) return "";
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Makes the browser download a text as a file. */
export function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
