// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The kinds of fabrics, for whoever adds one. */

export const KINDS = [
  { value: "simulated", label: "simulated: devices inside the service" },
  { value: "emulated", label: "emulated: a real OpenSM with the plugin, on emulated devices" },
  { value: "plugin", label: "plugin: a real fabric, through the OpenSM plugin" },
];

export const DEFAULT_SOCKET = "/run/ibcc/opensm.sock";
