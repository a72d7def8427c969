// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The kinds of fabrics, for whoever adds one. */

export const KINDS = [
  { value: "simulated", label: "simulated: devices inside the service" },
  { value: "emulated", label: "emulated: a real OpenSM with the plugin, on emulated devices" },
  { value: "plugin", label: "plugin: a real fabric, through the OpenSM plugin" },
];

export const DEFAULT_SOCKET = "/run/ibcc/opensm.sock";

/** Options of a fabric whose sockets are given with spaces between; the first is no other than the others. */
export function socketOptions(text: string) {
  const [socket = "", ...others] = text.trim().split(/\s+/);
  return others.length > 0 ? { socket, other_sockets: others } : { socket };
}

export const SOCKETS_HELP =
  "Path of the plugin's control socket on the service's machine. With several subnet managers, one for each, with spaces between: the service asks the master.";
