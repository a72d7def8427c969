// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What can be done with a campaign in its state. */

import { Button, Menu, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { type CampaignAction, useCampaignAction } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import { address, path } from "@/api/request";
import type { Campaign } from "@/api/shapes";
import { Dialog } from "@/parts/dialog";
import { ErrorNotice } from "@/parts/notice";

const START = new Set(["draft"]);
const PAUSE = new Set(["running", "queued", "waiting"]);
const RESUME = new Set(["paused", "failed", "stopped"]);
const STOP = new Set(["running", "queued", "waiting", "paused", "pausing"]);
const EXTEND = new Set(["finished", "stopped", "paused"]);

/** Of a campaign, as the service has it. */
const LONGEST_NAME = 64;

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
  // A campaign may end by itself while the question stands: then there is nothing left to stop.
  const asksToStop = dialog === "stop" && STOP.has(campaign.state);
  const asks = dialog === "stop" ? asksToStop : dialog !== null;
  const file = (what: string) => address(path`/campaigns/${campaign.id}/${what}`);
  return (
    <>
      {!asks && <ErrorNotice error={action.error} />}
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
          <Menu.Item
            component="a"
            href={file("report")}
            disabled={campaign.state !== "finished"}
            target="_blank"
            rel="noreferrer"
          >
            Report
          </Menu.Item>
          <Menu.Item
            component="a"
            href={file("report.json")}
            disabled={campaign.state !== "finished"}
            download={`${campaign.name}.json`}
          >
            Report as JSON
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog opened={asksToStop} onClose={() => setDialog(null)} title={`Stop ${campaign.name}?`}>
        <div className="stack">
          <p>The finished trials stay, and the fabric gets its base profile back.</p>
          <ErrorNotice error={action.error} />
          <Button loading={action.isPending} onClick={() => act("stop", { confirm: true })}>
            Finish: confirm what was found, and report
          </Button>
          <Button color="red" loading={action.isPending} onClick={() => act("stop", { confirm: false })}>
            Stop at once, without a recommendation
          </Button>
          <Button variant="default" onClick={() => setDialog(null)}>
            Cancel
          </Button>
        </div>
      </Dialog>
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
          onClone={(name, starts) => act("clone", { name, starts })}
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
    <Dialog opened onClose={onClose} title={`Extend ${campaign.name}`}>
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
    </Dialog>
  );
}

function Clone({ campaign, busy, error, onClose, onClone }: DialogProps & { onClone: (name: string, starts: number) => void }) {
  const [name, setName] = useState(`${campaign.name.slice(0, LONGEST_NAME - 2)}-2`);
  const [starts, setStarts] = useState(Math.min(5, campaign.trials_done));
  return (
    <Dialog opened onClose={onClose} title={`Clone ${campaign.name}`}>
      <div className="stack">
        <TextInput
          label="Name of the new campaign"
          description="A draft with the same settings; nothing runs before it is started."
          maxLength={LONGEST_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <NumberInput
          label="Begin with the best"
          description="So many of this campaign's best profiles are measured first."
          min={0}
          max={100}
          allowDecimal={false}
          value={starts}
          onChange={(value) => setStarts(Number(value) || 0)}
        />
        <ErrorNotice error={error} />
        <Button loading={busy} disabled={!name} onClick={() => onClone(name, starts)}>
          Clone
        </Button>
      </div>
    </Dialog>
  );
}
