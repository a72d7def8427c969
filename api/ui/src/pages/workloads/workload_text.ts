// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Texts of workloads. */

import { parseDocument } from "yaml";

/** A workload to begin with. Its names are those of the fabric two-switch, which comes with ibcc. */
export const NEW_WORKLOAD = `# Who sends to whom, when and how much. Ctrl+Space shows what can be written.
ibcc_workload: 1
name: my-workload
fabric: two-switch
duration_s: 1
flows:
- {name: C1, src: H1, dst: H4, role: contributor}
- {name: C2, src: H3, dst: H4, role: contributor}
- {name: V, src: H2, dst: H5, role: victim}
`;

/** The name that a document gives itself; empty: it has none, or cannot be read. */
export const nameIn = (document: string): string => textAt(document, "name");

/** The fabric that a document names; empty likewise. */
export const fabricIn = (document: string): string => textAt(document, "fabric");

function textAt(document: string, key: string): string {
  // A text that is half written has errors, and keys before them.
  const value = parseDocument(document, { version: "1.2", schema: "core", logLevel: "silent" }).get(key);
  return typeof value === "string" ? value : "";
}

/** Places of a workload where hosts are named. */
export const HOST_PLACES: readonly string[] = [
  "flows.*.src",
  "flows.*.dst",
  "patterns.*.destination",
  ...["hosts", "sources", "destinations", "clients", "servers"].flatMap((key) => [`patterns.*.${key}`, `patterns.*.${key}.*`]),
];

/** A copy under another name, with all else as it is written. */
export function renamed(document: string, name: string): string {
  return document.replace(/^# SPDX-License-Identifier:.*\n/, "").replace(/^name:.*$/m, `name: ${name}`);
}
