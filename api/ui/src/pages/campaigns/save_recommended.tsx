// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Saves the recommended profile in the service: only a profile with a name and a version can be promoted. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { Problem } from "@/api/problem";
import { useCreateProfile } from "@/api/queries/profiles";
import { address, path } from "@/api/request";
import type { Campaign } from "@/api/types";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/notice";
import { type DeviceProfile, devicesOf } from "@/pages/campaigns/device_profile";
import { withValue } from "@/pages/profiles/document";

/** `profile`: another one of the campaign's, for one model of the devices. */
export function SaveRecommended({ campaign, profile: other }: { campaign: Campaign; profile?: DeviceProfile }) {
  const [open, setOpen] = useState(false);
  const words = other ? `${campaign.name} ${other.variant ?? "own devices"}` : campaign.name;
  const [name, setName] = useState(words.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, "-"));
  const [problem, setProblem] = useState<unknown>(null);
  const create = useCreateProfile();
  const navigate = useNavigate();
  const save = async () => {
    setProblem(null);
    try {
      const file = other ? `?file=${encodeURIComponent(other.file)}` : "";
      const answer = await fetch(address(path`/campaigns/${campaign.id}/profile`) + file, { credentials: "same-origin" });
      if (!answer.ok) throw new Problem(answer.status, await answer.json());
      const document = withValue(await answer.text(), "name", name);
      const comment = other
        ? `Best of campaign ${campaign.name} for ${devicesOf(other)}`
        : `Recommended by campaign ${campaign.name}`;
      const profile = await create.mutateAsync({ name, document, comment });
      navigate(
        `/promote?profile=${encodeURIComponent(profile.name)}&version=${profile.version}&fabric=${encodeURIComponent(campaign.fabric)}`,
      );
    } catch (error) {
      setProblem(error);
    }
  };
  return (
    <>
      <Button
        variant={other ? "default" : "filled"}
        aria-label={other && `Save and compare the profile for ${devicesOf(other)}`}
        onClick={() => setOpen(true)}
      >
        Save and compare
      </Button>
      <Dialog
        opened={open}
        onClose={() => setOpen(false)}
        title={other ? `Save the profile for ${devicesOf(other)}` : "Save the recommended profile"}
      >
        <div className="stack">
          <TextInput
            label="Name of the profile"
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <p className="soft small">
            The next page compares it with what the fabric holds now. Nothing is sent to the fabric yet.
          </p>
          <ErrorNotice error={problem} />
          <Button loading={create.isPending} disabled={!name} onClick={save}>
            Save and compare
          </Button>
        </div>
      </Dialog>
    </>
  );
}
