// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Whether the recommended profile serves every model of the devices, and the best one for each if it does not. */

import { Link } from "react-router";
import { useMay } from "@/api/queries/session";
import type { Campaign } from "@/api/types";
import { Notice } from "@/components/notice";
import { deviceProfiles, devicesOf } from "@/pages/campaigns/device_profile";
import { SaveRecommended } from "@/pages/campaigns/save_recommended";

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
        <section className="table-box" aria-label="Profiles by devices">
          <table className="data">
            <caption>
              {profiles.some(({ variant }) => variant !== null)
                ? "One profile does not serve all devices. If you know yours, take its own."
                : "Best for devices as the campaign's, and worse than the published profile with others."}
            </caption>
            <thead>
              <tr>
                <th scope="col">Devices</th>
                <th scope="col">Profile from</th>
                {may && <th scope="col">Action</th>}
              </tr>
            </thead>
            <tbody>
              {profiles.map((profile) => (
                <tr key={profile.file}>
                  <th scope="row">{devicesOf(profile)}</th>
                  <td>
                    {profile.trial === null ? (
                      profile.origin
                    ) : (
                      <Link to={`/campaigns/${campaign.id}/trials/${profile.trial}`}>{profile.origin}</Link>
                    )}
                  </td>
                  {may && (
                    <td>
                      <SaveRecommended campaign={campaign} profile={profile} />
                    </td>
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  );
}
