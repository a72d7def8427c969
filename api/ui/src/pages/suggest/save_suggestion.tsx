// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Saves a suggested profile in the service; the page stays. */

import { Button, TextInput } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useCreateProfile } from "@/api/queries/profiles";
import type { Suggestion } from "@/api/types";
import { Dialog } from "@/components/dialog";
import { ErrorNotice, Notice } from "@/components/notice";
import { withValue } from "@/pages/profiles/document";

interface Props {
  fabric: string;
  suggestion: Suggestion;
  /** Links leave the page as it is, with what was chosen there. */
  newTab?: boolean;
}

export function SaveSuggestion({ fabric, suggestion, newTab }: Props) {
  const [open, setOpen] = useState(false);
  const [typed, setName] = useState<string | null>(null);
  const create = useCreateProfile();
  const name = typed ?? suggestion.name;
  // The dialog belongs to one suggestion: another one has not been saved yet.
  const saved = create.data && create.variables?.document === withValue(suggestion.document, "name", create.data.name);
  const save = () =>
    create.mutate(
      {
        name,
        document: withValue(suggestion.document, "name", name),
        comment: `Suggested for ${fabric}, ${suggestion.contributors.made_for} contributors to one receiver`,
      },
      { onSuccess: () => setOpen(false) },
    );
  if (saved) {
    return (
      <Notice kind="good">
        Saved as{" "}
        <Link to={`/profiles/${encodeURIComponent(create.data.name)}`} target={newTab ? "_blank" : undefined}>
          {create.data.name}
        </Link>
        .
      </Notice>
    );
  }
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Save as a profile
      </Button>
      <Dialog opened={open} onClose={() => setOpen(false)} title="Save the suggested profile">
        <div className="stack">
          <TextInput
            label="Name of the profile"
            value={name}
            maxLength={64}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
          <p className="soft small">Nothing is sent to the fabric.</p>
          <ErrorNotice error={create.error} title="Not saved" />
          <Button loading={create.isPending} disabled={!name} onClick={save}>
            Save
          </Button>
        </div>
      </Dialog>
    </>
  );
}
