// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A new profile: from the published one, from another one, or from a campaign's recommendation. */

import { Button, Select, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { useCreateProfile, useProfile } from "@/api/queries/profiles";
import { useLeaveGuard } from "@/components/leave_guard";
import { ErrorNotice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { NEW_PROFILE, valueAt, withValue } from "@/pages/profiles/document";
import { Editor } from "@/pages/profiles/editor";

export default function NewProfile() {
  const [search] = useSearchParams();
  const from = search.get("from") ?? "";
  const original = useProfile(from);
  const [text, setText] = useState(from ? "" : NEW_PROFILE);
  const [comment, setComment] = useState("");
  const [belongsTo, setBelongsTo] = useState<string | null>(null);
  const fabrics = useFabrics();
  const create = useCreateProfile();
  const navigate = useNavigate();
  const source = original.data?.document;
  useEffect(() => {
    if (source) setText((old) => old || withValue(source, "name", `${from}-copy`));
  }, [source, from]);
  useLeaveGuard(text !== NEW_PROFILE && text !== "" && !create.isSuccess && !from);
  const name = String(valueAt(text, "name") ?? "");
  const save = () =>
    create.mutate(
      { name, document: text, comment, belongs_to: belongsTo },
      { onSuccess: (profile) => navigate(`/profiles/${encodeURIComponent(profile.name)}`) },
    );
  return (
    <div className="stack">
      <PageHead title="New profile" crumbs={[{ to: "/profiles", text: "Profiles" }]} />
      <ErrorNotice error={original.error} />
      <Editor edited="" text={text} belongsTo={belongsTo} onChange={setText} />
      <div className="panel row bottom">
        <TextInput
          className="grow"
          label="Comment"
          placeholder="What is it for?"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Select
          label="Used on"
          placeholder="All fabrics"
          clearable
          data={fabrics.items?.map((fabric) => fabric.name) ?? []}
          value={belongsTo}
          onChange={setBelongsTo}
        />
        <Button loading={create.isPending} disabled={!name} onClick={save}>
          Save as {name || "…"}
        </Button>
      </div>
      <ErrorNotice error={create.error} title="Not saved" />
    </div>
  );
}
