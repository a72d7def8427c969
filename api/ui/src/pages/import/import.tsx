// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Where a fabric comes from: a file, a text that is pasted, or OpenSM. What is chosen is read at once, and looked at before it is kept. */

import { Button, Select, Textarea } from "@mantine/core";
import { useState } from "react";
import { useNavigate } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { useImportFromOpenSm, useUpload } from "@/api/queries/imports";
import { useMay } from "@/api/queries/session";
import type { FabricImport } from "@/api/types";
import { useAddress } from "@/components/address";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { Drafts } from "@/pages/import/drafts";
import { DropZone } from "@/pages/import/drop_zone";

export default function ImportPage() {
  const admin = useMay("admin");
  const fabric = useAddress().get("fabric");
  const title = fabric ? `Import ${fabric} again` : "Import a fabric";
  const crumbs = fabric ? [{ to: `/fabrics/${encodeURIComponent(fabric)}`, text: fabric }] : [];
  return (
    <div className="stack">
      <PageHead title={title} crumbs={crumbs} />
      {admin ? <Sources fabric={fabric} /> : <Notice kind="warn">An administrator can import fabrics.</Notice>}
      {admin && <Drafts />}
    </div>
  );
}

function Sources({ fabric }: { fabric: string }) {
  const navigate = useNavigate();
  const upload = useUpload();
  const open = ({ id }: FabricImport) => navigate(`/fabrics/import/${id}`);
  return (
    <div className="stack">
      <p className="prose">
        {fabric
          ? "The preview shows what changed. If you keep it, it becomes the next version of the fabric; older versions and campaigns stay."
          : "Nothing becomes a fabric before you have seen the preview and kept it."}
      </p>
      <DropZone
        busy={upload.isPending}
        label="Choose a file"
        onFile={(file) => upload.mutate({ file, name: file.name, fabric }, { onSuccess: open })}
      >
        <p>
          Drop a file here: the output of <code>ibnetdiscover</code>, a net file of ibsim, or a fabric document. gzip may have
          packed it.
        </p>
      </DropZone>
      <ErrorNotice error={upload.error} />
      <div className="halves">
        <Pasted onText={(text) => upload.mutate({ file: new Blob([text]), name: "pasted text", fabric }, { onSuccess: open })} />
        <FromOpenSm fabric={fabric} onBegun={open} />
      </div>
    </div>
  );
}

function Pasted({ onText }: { onText: (text: string) => void }) {
  const [text, setText] = useState("");
  return (
    <section className="panel stack" aria-labelledby="paste">
      <h2 id="paste">Paste</h2>
      <Textarea
        label="Text of the fabric"
        description="For example, ibnetdiscover's output from a terminal."
        minRows={5}
        maxRows={10}
        autosize
        spellCheck={false}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <div className="row">
        <Button variant="default" disabled={text.trim() === ""} onClick={() => onText(text)}>
          Read the text
        </Button>
      </div>
    </section>
  );
}

function FromOpenSm({ fabric, onBegun }: { fabric: string; onBegun: (begun: FabricImport) => void }) {
  const known = (useFabrics().items ?? []).filter(({ kind }) => kind !== "simulated").map(({ name }) => name);
  const [chosen, setChosen] = useState<string | null>(null);
  const ask = useImportFromOpenSm();
  const names = fabric ? known.filter((name) => name === fabric) : known;
  const name = chosen ?? names[0] ?? null;
  return (
    <section className="panel stack" aria-labelledby="opensm">
      <h2 id="opensm">As OpenSM has it</h2>
      {names.length === 0 ? (
        <p className="soft">
          {fabric
            ? `${fabric} is simulated, so no OpenSM knows it.`
            : "No fabric of the service has an OpenSM with the plugin yet."}
        </p>
      ) : (
        <>
          <p className="small soft">Nodes, links, LIDs and forwarding tables as OpenSM has them at this moment.</p>
          <Select label="Fabric" data={names} value={name} onChange={setChosen} allowDeselect={false} />
          <ErrorNotice error={ask.error} />
          <div className="row">
            <Button variant="default" loading={ask.isPending} onClick={() => name && ask.mutate(name, { onSuccess: onBegun })}>
              Ask OpenSM
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
