// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What can be done with a campaign in its state. */

import { Button, Menu, Modal, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type CampaignAction, useCampaignAction } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import { address, path } from "@/api/request";
import type { Campaign } from "@/api/shapes";
import { Confirm } from "@/parts/confirm";
import { ErrorNotice } from "@/parts/notice";

const START = new Set(["draft"]);
const PAUSE = new Set(["running", "queued"]);
const RESUME = new Set(["paused", "failed", "stopped"]);
const STOP = new Set(["running", "queued", "paused", "pausing"]);
const EXTEND = new Set(["finished", "stopped", "paused"]);

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const action = useCampaignAction(campaign.id);
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"stop" | "extend" | "clone" | null>(null);
  const act = (which: CampaignAction, body?: unknown) =>
    action.mutate(
      { action: which, body },
      {
        onSuccess: (answer) => {
          setDialog(null);
          if (which === "clone") navigate(`/campaigns/${answer.id}`);
        },
      },
    );
  const file = (what: string) => address(path`/campaigns/${campaign.id}/${what}`);
  return (
    <>
      {!dialog && <ErrorNotice error={action.error} />}
      {may && START.has(campaign.state) && (
        <Button loading={action.isPending} onClick={() => act("start")}>
          Start
        </Button>
      )}
      {may && PAUSE.has(campaign.state) && (
        <Button variant="default" loading={action.isPending} onClick={() => act("pause")}>
          Pause
        </Button>
      )}
      {may && RESUME.has(campaign.state) && (
        <Button loading={action.isPending} onClick={() => act("resume")}>
          Resume
        </Button>
      )}
      {may && STOP.has(campaign.state) && (
        <Button color="red" variant="light" onClick={() => setDialog("stop")}>
          Stop
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {may && <Menu.Item onClick={() => setDialog("clone")}>Clone</Menu.Item>}
          {may && EXTEND.has(campaign.state) && <Menu.Item onClick={() => setDialog("extend")}>Extend</Menu.Item>}
          <Menu.Item component="a" href={file("report")} target="_blank" rel="noreferrer">
            Report
          </Menu.Item>
          <Menu.Item component="a" href={file("report.json")} download={`${campaign.name}.json`}>
            Report as JSON
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={dialog === "stop"}
        title={`Stop ${campaign.name}?`}
        action="Stop"
        danger
        busy={action.isPending}
        error={action.error}
        onConfirm={() => act("stop")}
        onClose={() => setDialog(null)}
      >
        <p>What is being measured is given up, and the fabric gets its base profile back. The finished trials stay.</p>
      </Confirm>
      {dialog === "extend" && (
        <Extend
          campaign={campaign}
          busy={action.isPending}
          error={action.error}
          onClose={() => setDialog(null)}
          onExtend={(trials) => act("extend", { trials })}
        />
      )}
      {dialog === "clone" && (
        <Clone
          campaign={campaign}
          busy={action.isPending}
          error={action.error}
          onClose={() => setDialog(null)}
          onClone={(name) => act("clone", { name })}
        />
      )}
    </>
  );
}

interface DialogProps {
  campaign: Campaign;
  busy: boolean;
  error: unknown;
  onClose: () => void;
}

function Extend({ campaign, busy, error, onClose, onExtend }: DialogProps & { onExtend: (trials: number) => void }) {
  const [trials, setTrials] = useState(campaign.trials_total + 20);
  return (
    <Modal opened onClose={onClose} title={`Extend ${campaign.name}`}>
      <div className="stack">
        <NumberInput
          label="Trials in all"
          description={`So far ${campaign.trials_done}.`}
          min={campaign.trials_done + 1}
          allowDecimal={false}
          value={trials}
          onChange={(value) => setTrials(Number(value))}
          data-autofocus
        />
        <ErrorNotice error={error} />
        <Button loading={busy} onClick={() => onExtend(trials)}>
          Extend
        </Button>
      </div>
    </Modal>
  );
}

function Clone({ campaign, busy, error, onClose, onClone }: DialogProps & { onClone: (name: string) => void }) {
  const [name, setName] = useState(`${campaign.name}-2`);
  return (
    <Modal opened onClose={onClose} title={`Clone ${campaign.name}`}>
      <div className="stack">
        <TextInput
          label="Name of the new campaign"
          description="A draft with the same settings and no trials."
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <ErrorNotice error={error} />
        <Button loading={busy} disabled={!name} onClick={() => onClone(name)}>
          Clone
        </Button>
      </div>
    </Modal>
  );
}
