// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Whether the recommended profile serves every model of the devices, and the best one for each if it does not. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { type Column, DataTable } from "@/components/data_table";
import { Notice } from "@/components/notice";
import { type DeviceProfile, deviceProfiles, devicesOf } from "@/pages/campaigns/device_profile";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";
import { asSentence } from "@/pages/profiles/parameter_input";

export function DeviceProfiles({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const profiles = deviceProfiles(campaign);
  const robust = campaign.best?.robust as boolean | null | undefined;
  return (
    <>
      {robust === true && (
        <p className="small soft">
          With each of the campaign's models of the devices it is not worse than the published profile.
        </p>
      )}
      {robust === false && (
        <Notice kind="warn">
          With some models of the devices it is worse than the published profile. The report says which.
        </Notice>
      )}
      {profiles.length > 0 && (
        <>
          <p>
            {profiles.some(({ variant }) => variant !== null)
              ? "One profile does not serve all devices. If you know yours, take its own."
              : "Best for the campaign's own devices, and worse than the published profile with others."}
          </p>
          <DataTable
            caption="Profiles by devices"
            columns={may ? [...columns(campaign.id), save(campaign)] : columns(campaign.id)}
            rows={profiles}
            className="by-devices"
            rowKey={({ file }) => file}
          />
        </>
      )}
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
