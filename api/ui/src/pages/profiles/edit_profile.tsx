// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Edits a profile; saving makes a new version. A conflict with another edit is shown, and no text is lost. */

import { Button, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useNavigate, useParams } from "react-router";
import { Problem } from "@/api/problem";
import { useProfile, useSaveProfile } from "@/api/queries/profiles";
import type { Profile } from "@/api/types";
import { useLeaveGuard } from "@/components/leave_guard";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Editor } from "@/pages/profiles/editor";

export default function EditProfile() {
  const { name = "" } = useParams();
  const profile = useProfile(name);
  return (
    <div className="stack">
      <PageHead
        title={`Edit ${name}`}
        crumbs={[
          { to: "/profiles", text: "Profiles" },
          { to: `/profiles/${encodeURIComponent(name)}`, text: name },
        ]}
      />
      <QueryView query={profile} rows={12}>
        {(known) => <Edited profile={known} />}
      </QueryView>
    </div>
  );
}

function Edited({ profile }: { profile: Profile }) {
  // The version that the work began with; a newer one that somebody else saves meanwhile must not slip in.
  const [begun, setBegun] = useState(profile);
  const [text, setText] = useState(profile.document);
  const [comment, setComment] = useState("");
  const save = useSaveProfile(profile.name);
  const navigate = useNavigate();
  const changed = text !== begun.document;
  useLeaveGuard(changed && !save.isSuccess);
  useEffect(() => {
    if (!changed) setBegun(profile);
  }, [profile, changed]);
  const overtaken = save.error instanceof Problem && save.error.status === 412;
  const store = (etag: string | undefined) =>
    save.mutate(
      { document: text, comment, etag: etag ?? "" },
      { onSuccess: () => navigate(`/profiles/${encodeURIComponent(profile.name)}`) },
    );
  return (
    <>
      <Editor edited={profile.name} text={text} before={begun.document} belongsTo={profile.belongs_to} onChange={setText} />
      {overtaken ? (
        <Notice kind="bad" title="Somebody else has saved a newer version">
          <p>
            Version {profile.version} is there now; your work began with version {begun.version}. Look at what has changed before
            you save over it.
          </p>
          <div className="row">
            <Button
              component="a"
              variant="default"
              size="xs"
              href={`/profiles/${encodeURIComponent(profile.name)}?from=${begun.version}`}
              target="_blank"
            >
              What has changed
            </Button>
            {/* The newer version comes after the 412; until then the same ETag would be refused again. */}
            <Button size="xs" color="red" loading={profile.etag === save.variables?.etag} onClick={() => store(profile.etag)}>
              Save mine as a newer version
            </Button>
          </div>
        </Notice>
      ) : (
        <ErrorNotice error={save.error} title="Not saved" />
      )}
      <div className="panel row bottom">
        <TextInput
          className="grow"
          label="Comment"
          placeholder="What did you change, and why?"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Button loading={save.isPending} disabled={!changed} onClick={() => store(begun.etag)}>
          Save as version {begun.version + 1}
        </Button>
      </div>
    </>
  );
}
