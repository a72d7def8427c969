// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What is said of devices, in words. */

const KINDS: Record<string, string> = {
  ca: "CA",
  host: "CA",
  switch: "switch",
  aggregation: "aggregation node",
  router: "router",
};

/** "CA", "aggregation node". */
export function kindText({ node_kind }: { node_kind: string }): string {
  return KINDS[node_kind] ?? node_kind;
}

/** Whether an adapter was seen to throttle. The adapters of switches, routers and aggregation nodes send no flows that could be. */
export function throttlesText(throttles: boolean | string | null | undefined, kind = "host"): string {
  if (kind !== "host" && kind !== "ca") return "–";
  if (throttles === true) return "yes";
  if (throttles === false) return "no";
  return typeof throttles === "string" ? throttles : "unknown";
}

/** "31.2012.1024", "unknown: no answer to two requests", "not applicable". */
export function firmwareText({
  firmware,
  firmware_reason: reason,
}: {
  firmware: string | null;
  firmware_reason: string | null;
}): string {
  if (firmware) return firmware;
  if (reason === "not applicable") return reason;
  return reason ? `unknown: ${reason}` : "unknown";
}
