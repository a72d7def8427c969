// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A check's document: everybody reads it, operators change it. A conflict with another edit is shown, and no text is lost. */

import "@/pages/checks/checks.css";
import { Button, NumberInput } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { Problem } from "@/api/problem";
import { useChangeCheck, useCheck } from "@/api/queries/checks";
import type { Check } from "@/api/types";
import { useLeaveGuard } from "@/components/leave_guard";
import { Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { DocumentEditor } from "@/pages/checks/document_editor";

export default function EditCheck() {
  const { name = "" } = useParams();
  const check = useCheck(name);
  const address = `/checks/${encodeURIComponent(name)}`;
  return (
    <div className="stack">
      <PageHead
        title={`Document of ${name}`}
        crumbs={[
          { to: "/checks", text: "Checks" },
          { to: address, text: name },
        ]}
      />
      <QueryView query={check} rows={10}>
        {(known) => <Edited check={known} address={address} />}
      </QueryView>
    </div>
  );
}

function Edited({ check, address }: { check: Check; address: string }) {
  // The check with which editing began; a change that somebody else saves meanwhile must not slip in.
  const [begun, setBegun] = useState(check);
  const [text, setText] = useState(check.document);
  const [keep, setKeep] = useState<number | string>(check.keep_nights);
  const change = useChangeCheck(check.name);
  const navigate = useNavigate();
  const may = check.actions.includes("change");
  const isChanged = text !== begun.document || keep !== begun.keep_nights;
  useLeaveGuard(isChanged && !change.isSuccess);
  const overtaken = change.error instanceof Problem && change.error.status === 412;
  const save = (etag: string) =>
    change.mutate({ body: { document: text, keep_nights: Number(keep) }, etag }, { onSuccess: () => navigate(address) });
  return (
    <div className="stack">
      {check.state !== "idle" && <Notice>A night is running. The document can be changed when it has ended.</Notice>}
      <DocumentEditor
        text={text}
        fabric={check.fabric}
        name={check.name}
        onChange={may ? setText : undefined}
        error={overtaken ? null : change.error}
      />
      <NumberInput
        label="Nights that are kept"
        description="Older ones are removed, but never those of the baseline."
        className="keep"
        min={10}
        max={4000}
        allowDecimal={false}
        readOnly={!may}
        value={keep}
        onChange={setKeep}
      />
      {overtaken && (
        <Notice kind="bad" title="Somebody else has changed this check">
          <p>Look at it before you overwrite it: open this page in another tab.</p>
          <Button
            size="xs"
            color="red"
            loading={change.isPending || check.etag === begun.etag}
            onClick={() => {
              setBegun(check);
              save(check.etag);
            }}
          >
            Save mine instead
          </Button>
        </Notice>
      )}
      {may && (
        <>
          <p className="small soft">
            Entries whose options have changed are not compared with the baseline any more, until you accept another one.
          </p>
          <div className="row">
            <Button loading={change.isPending} disabled={!isChanged} onClick={() => save(begun.etag)}>
              Save
            </Button>
          </div>
        </>
      )}
    </div>
  );
}
