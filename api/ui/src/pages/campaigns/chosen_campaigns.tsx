// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Buttons for the campaigns that are ticked in the list: archive, take out of the archive, delete. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useChangeCampaigns } from "@/api/queries/campaigns";
import type { Campaign } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { ErrorNotice, Notice } from "@/components/notice";
import { count } from "@/format/quantity";

/** Names that the dialog lists. */
const NAMED = 5;

export function ChosenCampaigns({ campaigns, onDone }: { campaigns: Campaign[]; onDone: () => void }) {
  const change = useChangeCampaigns();
  const [asking, setAsking] = useState(false);
  const able = (action: "archive" | "delete") => campaigns.filter(({ actions }) => actions.includes(action));
  const toArchive = able("archive").filter(({ archived }) => !archived);
  const toUnarchive = able("archive").filter(({ archived }) => archived);
  const toDelete = able("delete");
  const act = (action: "archive" | "unarchive" | "delete", which: Campaign[]) =>
    change.mutate(
      { action, campaigns: which },
      {
        onSuccess: () => {
          setAsking(false);
          onDone();
        },
      },
    );
  const refused = change.data ?? [];
  const more = toDelete.length - NAMED;
  return (
    <>
      {refused.length > 0 && (
        <Notice kind="warn" title={`${count(refused.length, "campaign was", "campaigns were")} not changed`}>
          {refused.map((line) => (
            <p key={line}>{line}</p>
          ))}
        </Notice>
      )}
      <ErrorNotice error={change.error} />
      {campaigns.length > 0 && (
        <section className="row" aria-label="Chosen campaigns">
          <span aria-live="polite">{count(campaigns.length, "campaign")} chosen</span>
          {toArchive.length > 0 && (
            <Button variant="default" size="xs" loading={change.isPending} onClick={() => act("archive", toArchive)}>
              Archive {toArchive.length}
            </Button>
          )}
          {toUnarchive.length > 0 && (
            <Button variant="default" size="xs" loading={change.isPending} onClick={() => act("unarchive", toUnarchive)}>
              Take {toUnarchive.length} out of the archive
            </Button>
          )}
          {toDelete.length > 0 && (
            <Button color="red" variant="light" size="xs" onClick={() => setAsking(true)}>
              Delete {toDelete.length}…
            </Button>
          )}
          {toDelete.length < campaigns.length && (
            <span className="small soft">
              {count(campaigns.length - toDelete.length, "campaign is", "campaigns are")} running, and stay as they are.
            </span>
          )}
        </section>
      )}
      <Confirm
        opened={asking}
        title={`Delete ${count(toDelete.length, "campaign")}?`}
        action="Delete"
        danger
        busy={change.isPending}
        error={change.error}
        onConfirm={() => act("delete", toDelete)}
        onClose={() => setAsking(false)}
      >
        <p>
          {toDelete
            .slice(0, NAMED)
            .map(({ name }) => name)
            .join(", ")}
          {more > 0 && ` and ${more} more`}. Their trials and reports are deleted too.
        </p>
      </Confirm>
    </>
  );
}
