// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Buttons for what the viewer may do with a campaign now, as the service says. */

import { Button, Menu, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { Problem } from "@/api/problem";
import { type CampaignPost, useCampaignAction, useDeleteCampaign } from "@/api/queries/campaigns";
import { useMay } from "@/api/queries/session";
import { address, path } from "@/api/request";
import type { Campaign, CampaignAction } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/notice";
import { LONGEST_NAME } from "@/pages/campaigns/wizard_start";

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const may = useMay("operator");
  const offers = (one: CampaignAction) => campaign.actions.includes(one);
  const action = useCampaignAction(campaign.id);
  const deletion = useDeleteCampaign(campaign);
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<"stop" | "extend" | "clone" | "delete" | null>(null);
  const act = (which: CampaignPost, body?: unknown) =>
    action.mutate(
      { action: which, body },
      {
        onSuccess: (answer) => {
          setDialog(null);
          if (which === "clone") navigate(`/campaigns/${answer.id}`);
        },
      },
    );
  // A campaign may end while the dialog is open: then there is nothing left to stop.
  const asksToStop = dialog === "stop" && offers("stop");
  const asks = dialog === "stop" ? asksToStop : dialog !== null;
  const lacksTrials = action.error instanceof Problem && action.error.document.type === "/problems/store-behind";
  const file = (what: string) => address(path`/campaigns/${campaign.id}/${what}`);
  return (
    <>
      {!asks && !lacksTrials && <ErrorNotice error={action.error} />}
      {offers("change") && (
        <Button variant="default" component={Link} to={`/campaigns/${campaign.id}/edit`}>
          Edit
        </Button>
      )}
      {offers("start") && (
        <Button loading={action.isPending} onClick={() => act("start")}>
          Start
        </Button>
      )}
      {offers("pause") && (
        <Button variant="default" loading={action.isPending} onClick={() => act("pause")}>
          Pause
        </Button>
      )}
      {offers("resume") && (
        <Button loading={action.isPending} onClick={() => act("resume")}>
          Resume
        </Button>
      )}
      {offers("stop") && (
        <Button color="red" variant="light" onClick={() => setDialog("stop")}>
          Stop
        </Button>
      )}
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {offers("clone") && <Menu.Item onClick={() => setDialog("clone")}>Clone</Menu.Item>}
          {may && campaign.state === "finished" && campaign.recommended !== null && (
            <Menu.Item onClick={() => act("challenge", {})}>Challenge the recommendation</Menu.Item>
          )}
          {offers("extend") && <Menu.Item onClick={() => setDialog("extend")}>Extend</Menu.Item>}
          {offers("archive") && (
            <Menu.Item onClick={() => act("archive", { archived: !campaign.archived })}>
              {campaign.archived ? "Take out of the archive" : "Archive"}
            </Menu.Item>
          )}
          {offers("delete") && <Menu.Item onClick={() => setDialog("delete")}>Delete</Menu.Item>}
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
          <p>
            {campaign.state === "draft"
              ? "It has not started, so there is nothing to keep. It can be resumed later."
              : "Finished trials are kept, and the fabric gets its base profile back."}
          </p>
          <ErrorNotice error={action.error} />
          {offers("finish") && (
            <Button loading={action.isPending} onClick={() => act("stop", { confirm: true })}>
              Finish: confirm what was found, and report
            </Button>
          )}
          <Button color="red" loading={action.isPending} onClick={() => act("stop", { confirm: false })}>
            {offers("finish") ? "Stop at once, without a recommendation" : "Stop"}
          </Button>
          <Button variant="default" onClick={() => setDialog(null)}>
            Cancel
          </Button>
        </div>
      </Dialog>
      <Confirm
        opened={lacksTrials}
        title={`Measure trials of ${campaign.name} again?`}
        action="Measure again"
        onConfirm={() =>
          action.variables && act(action.variables.action, { ...(action.variables.body as object), measure_again: true })
        }
        onClose={() => action.reset()}
      >
        <p>{action.error?.message}</p>
      </Confirm>
      <Confirm
        opened={dialog === "delete"}
        title={`Delete ${campaign.name}?`}
        action="Delete"
        danger
        busy={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate(undefined, { onSuccess: () => navigate("/campaigns") })}
        onClose={() => setDialog(null)}
      >
        <p>Its trials and its report are deleted too.</p>
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
          description={`${campaign.trials_done} are finished.`}
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
          description="The new campaign is a draft with the same settings."
          maxLength={LONGEST_NAME}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <NumberInput
          label="Begin with the best"
          description="Number of this campaign's best profiles to measure first."
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
