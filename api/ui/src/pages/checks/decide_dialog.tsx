// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Asks why something is repaired, muted or planned, and until when. */

import { Button, Radio, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAdopt, useDecide } from "@/api/queries/checks";
import type { NewDecision } from "@/api/types";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/notice";

export interface Asked {
  kind: NewDecision["kind"] | "adopt";
  place: string;
}

interface Props {
  check: string;
  asked: Asked;
  onClose: () => void;
}

const TEXTS: Record<Asked["kind"], { title: string; action: string; about: string }> = {
  repaired: {
    title: "Say that it is repaired",
    action: "Close the alarm",
    about: "Its alarms are closed. If a later night sees it again, that is a new alarm.",
  },
  mute: {
    title: "Mute it",
    action: "Mute",
    about: "Its alarms fail no night until that date. If the fault stands then, that is news.",
  },
  gone: {
    title: "Plan a change",
    action: "Expect it",
    about: "What is expected is a fact, and no failure. If it is still so after the last night, that is a new alarm.",
  },
  moved: {
    title: "Plan a change",
    action: "Expect it",
    about: "What is expected is a fact, and no failure. If it is still so after the last night, that is a new alarm.",
  },
  adopt: {
    title: "Adopt the fabric of the last night",
    action: "Adopt",
    about: "Devices, links and routes are compared with this fabric from the next night on, until another one is adopted.",
  },
};

export function DecideDialog({ check, asked, onClose }: Props) {
  const decide = useDecide(check);
  const adopt = useAdopt(check);
  const [kind, setKind] = useState(asked.kind);
  const [place, setPlace] = useState(asked.place);
  const [because, setBecause] = useState("");
  const [first, setFirst] = useState("");
  const [until, setUntil] = useState("");
  const isPlan = kind === "gone" || kind === "moved";
  const { title, action, about } = TEXTS[kind];
  const isWhole = because.trim() !== "" && (kind === "adopt" || place.trim() !== "") && (kind !== "mute" || until !== "");
  const submit = () =>
    kind === "adopt"
      ? adopt.mutate({ because }, { onSuccess: onClose })
      : decide.mutate({ kind, place, because, first: first || null, until: until || null }, { onSuccess: onClose });
  return (
    <Dialog opened onClose={onClose} title={title}>
      <div className="stack">
        <p>{about}</p>
        {isPlan && (
          <Radio.Group label="Change" value={kind} onChange={(value) => setKind(value as Asked["kind"])}>
            <div className="stack tight">
              <Radio value="gone" label="A host, a set of hosts, a switch or a link is gone" />
              <Radio value="moved" label="Cables are plugged elsewhere" />
            </div>
          </Radio.Group>
        )}
        {kind !== "adopt" && (
          <TextInput
            label="Place"
            description="A host, a set such as node[01-24], a switch, a port, a link, or a metric"
            value={place}
            onChange={(event) => setPlace(event.currentTarget.value)}
          />
        )}
        <TextInput
          label="Why"
          value={because}
          maxLength={500}
          onChange={(event) => setBecause(event.currentTarget.value)}
          data-autofocus
        />
        <div className="row bottom">
          {isPlan && (
            <TextInput
              className="grow"
              type="date"
              label="First night"
              value={first}
              onChange={(event) => setFirst(event.currentTarget.value)}
            />
          )}
          {(isPlan || kind === "mute") && (
            <TextInput
              className="grow"
              type="date"
              label="Last night"
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
            />
          )}
        </div>
        <ErrorNotice error={decide.error ?? adopt.error} />
        <div className="row ends">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={decide.isPending || adopt.isPending} disabled={!isWhole} onClick={submit}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
