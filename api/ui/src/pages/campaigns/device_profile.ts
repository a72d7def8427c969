// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The best profiles of a campaign for each model of the devices, where the recommended one does not serve them all. */

import type { Campaign } from "@/api/types";

export interface DeviceProfile {
  file: string;
  /** Name of the campaign's variant; null: its own devices. */
  variant: string | null;
  settings: Record<string, unknown>;
  /** Name of the model in words; campaigns of earlier releases have none. */
  devices?: string;
  /** What the profile is worth on these devices. */
  gain?: string;
  /** `trial 7`, `suggestion`, or the published profile's name. */
  origin: string;
  trial: number | null;
}

export function deviceProfiles(campaign: Campaign): DeviceProfile[] {
  return (campaign.best?.profiles as DeviceProfile[] | undefined) ?? [];
}

export function devicesOf({ devices, settings }: DeviceProfile): string {
  if (devices) return devices;
  const words = Object.entries(settings).map(([path, value]) => `${path}=${value}`);
  return words.join(" ") || "the campaign's own devices";
}
