// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** States of devices, as tuner/opensm/device_states.py has them; the compiler compares the names with the service's counts. */

import type { DeviceCounts } from "@/api/types";

export type DeviceState = Exclude<keyof DeviceCounts, "total">;

/** What a device in each state does. In the order in which they are shown. */
export const DEVICE_STATES: Record<DeviceState, string> = {
  applied: "holds what it should",
  drifted: "was found to hold other values, and is not repaired yet",
  timing_out: "has not answered the last request",
  refused: "has refused a value",
  withheld: "is not sent what the section `nvidia` says",
  foreign: "obeys NVIDIA's attributes, which somebody else has switched on",
  clamped: "took other values than it was sent, or has no room for all",
  unsupported: "has reported that it does not know congestion control",
  unknown: "has not been asked, or has not answered yet",
};

export const DEVICE_STATE_NAMES = Object.keys(DEVICE_STATES) as DeviceState[];

/** What a device in this state does; nothing of a state that this page does not know. */
export function stateMeaning(state: string): string | undefined {
  return (DEVICE_STATES as Record<string, string>)[state.replaceAll("-", "_")];
}
