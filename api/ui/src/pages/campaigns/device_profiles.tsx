// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The best profile for each model of the devices, where the recommended one does not serve all. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { type DeviceProfile, deviceProfiles, devicesOf } from "@/pages/campaigns/device_profile";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";
import { asSentence } from "@/pages/profiles/parameter_input";

export function DeviceProfiles({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const profiles = deviceProfiles(campaign);
  if (profiles.length === 0) return null;
  return (
    <>
      <p>
        {profiles.some(({ variant }) => variant !== null)
          ? "If you know your devices, you may take their own profile."
          : "Best for the campaign's own devices, and it serves fewer scenarios."}
      </p>
      <DataTable
        caption="Profiles by devices"
        columns={may ? [...columns(campaign.id), save(campaign)] : columns(campaign.id)}
        rows={profiles}
        className="by-devices by-line"
        rowKey={({ file }) => file}
      />
    </>
  );
}

function columns(id: string): Column<DeviceProfile>[] {
  return [
    { key: "devices", title: "Devices", head: true, value: devicesOf },
    {
      key: "origin",
      title: "Profile from",
      value: ({ origin }) => origin,
      show: ({ trial, origin }) => (trial === null ? origin : <Link to={`/campaigns/${id}/trials/${trial}`}>{origin}</Link>),
    },
    { key: "gain", title: "What it is worth there", value: ({ gain }) => (gain ? asSentence(gain) : "–") },
  ];
}

function save(campaign: Campaign): Column<DeviceProfile> {
  return {
    key: "save",
    title: "",
    value: () => null,
    show: (profile) => <SaveRecommended campaign={campaign} profile={profile} />,
  };
}
