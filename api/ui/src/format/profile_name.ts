// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A profile's name with its version, from the forms in which the service returns it. */

import type { ActiveProfile } from "@/api/types";

export function profileName(profile: ActiveProfile | string | null | undefined): string {
  if (!profile) return "none";
  if (typeof profile === "string") return profile;
  return profile.version ? `${profile.name}, version ${profile.version}` : profile.name;
}

export function bareName(profile: ActiveProfile | string | null | undefined): string | null {
  if (!profile) return null;
  return typeof profile === "string" ? profile : profile.name;
}
