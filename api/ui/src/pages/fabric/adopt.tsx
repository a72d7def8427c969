// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the devices of a fabric held before ibcc set anything on them, and a profile of it. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useAdopt, useFabricState } from "@/api/queries/fabrics";
import { useMay } from "@/api/queries/session";
import { Confirm } from "@/components/confirm";
import { Notice } from "@/components/notice";
import { count } from "@/format/quantity";

export function Adopt({ fabric }: { fabric: string }) {
  const may = useMay("admin");
  const found = useFabricState(fabric).data?.as_found;
  const adopt = useAdopt(fabric);
  const [asking, setAsking] = useState(false);
  const [name, setName] = useState(`${fabric}-as-found`);
  if (!found || found.devices === 0) return null;
  const made = adopt.data;
  return (
    <div className="stack tight">
      <div className="row">
        <span>
          {count(found.devices, "device")} {found.devices === 1 ? "was" : "were"} read before ibcc set anything on them
          {found.in_force ? ", and what they held is in force (revision 0)" : ""}
          {found.unread > 0 ? `; ${count(found.unread, "device")} ${found.unread === 1 ? "was" : "were"} not read yet` : ""}.
        </span>
        {may && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            Adopt as a profile
          </Button>
        )}
      </div>
      <Confirm
        opened={asking}
        title="Make a profile of what devices held?"
        action="Adopt"
        busy={adopt.isPending}
        pointless={name.trim() === ""}
        error={adopt.error}
        onConfirm={() => adopt.mutate(name.trim(), { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>
          Nothing is sent to devices. Applied to the fabric as it was found, the profile sends nothing to any device whose values
          a profile can say.
        </p>
        <TextInput label="Name of the new profile" value={name} onChange={(event) => setName(event.currentTarget.value)} />
      </Confirm>
      {made && (
        <Notice kind={made.devices_not_said > 0 ? "warn" : "good"} title={`Profile ${made.profile.name} is stored`}>
          <p>
            <Link to={`/profiles/${encodeURIComponent(made.profile.name)}`}>Show it</Link>
          </p>
          {made.devices_not_said > 0 && (
            <ul>
              {made.not_said.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
              {made.devices_not_said > made.not_said.length && (
                <li>And {count(made.devices_not_said - made.not_said.length, "device")} more.</li>
              )}
            </ul>
          )}
        </Notice>
      )}
    </div>
  );
}
