// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An import: its progress, then its preview, and the choice to keep it. */

import { Button } from "@mantine/core";
import { Link, useNavigate, useParams } from "react-router";
import { useCancelImport, useDiscardImport, useImport } from "@/api/queries/imports";
import { useJob } from "@/api/queries/jobs";
import type { FabricImport } from "@/api/types";
import { ErrorNotice, Notice } from "@/components/notice";
import { PageHead } from "@/components/page_head";
import { Progress } from "@/components/progress";
import { QueryView } from "@/components/query_view";
import { TwinPanel } from "@/pages/fabric/twin_panel";
import { KeepForm } from "@/pages/import/keep_form";
import { Preview } from "@/pages/import/preview";
import { ReadingOptions } from "@/pages/import/reading_options";

export default function DraftPage() {
  const { id = "" } = useParams();
  const found = useImport(id);
  const crumbs = [{ to: "/fabrics/import", text: "Import" }];
  return (
    <div className="stack">
      <PageHead title={found.data ? titleOf(found.data) : "Import"} crumbs={crumbs}>
        {found.data && <DiscardButton draft={found.data} />}
      </PageHead>
      <QueryView query={found} rows={8}>
        {(draft) => <Draft draft={draft} />}
      </QueryView>
    </div>
  );
}

function titleOf({ source, source_name, fabric }: FabricImport): string {
  const from = source === "opensm" ? `OpenSM of ${source_name}` : source_name;
  return fabric && source === "file" ? `${from} for ${fabric}` : from;
}

function Draft({ draft }: { draft: FabricImport }) {
  if (draft.state === "reading") return <ReadingPanel draft={draft} />;
  if (draft.state === "kept" && draft.fabric) {
    return (
      <Notice kind="good" title="It was kept">
        <p>
          This is version {draft.kept_version} of <Link to={`/fabrics/${encodeURIComponent(draft.fabric)}`}>{draft.fabric}</Link>.
        </p>
      </Notice>
    );
  }
  return (
    <>
      {draft.state === "failed" && (
        <Notice kind="bad" title="This makes no fabric">
          <p className="breaking">{draft.problem}</p>
        </Notice>
      )}
      {draft.state === "cancelled" && <Notice kind="warn">The reading was cancelled. Read it again, or discard it.</Notice>}
      {draft.preview && <KeepForm key={draft.job} draft={draft} />}
      {draft.state === "ready" && <TwinPanel of={{ import: draft.id }} />}
      {draft.preview && <Preview draft={draft} preview={draft.preview} />}
      {draft.actions.includes("reread") && <ReadingOptions key={`options ${draft.job}`} draft={draft} />}
    </>
  );
}

function ReadingPanel({ draft }: { draft: FabricImport }) {
  const job = useJob(draft.job);
  const cancel = useCancelImport(draft.id);
  const progress = job.data?.progress;
  return (
    <Notice kind="info">
      <div className="row ends">
        <strong>Reading {draft.source_name}</strong>
        {draft.actions.includes("cancel") && (
          <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
            Cancel
          </Button>
        )}
      </div>
      <Progress done={progress?.done ?? 0} total={progress?.total ?? 100} label={`Reading ${draft.source_name}`} />
      <p className="small soft">{progress?.text || "waiting for a worker"}</p>
      <ErrorNotice error={cancel.error ?? job.error} />
    </Notice>
  );
}

function DiscardButton({ draft }: { draft: FabricImport }) {
  const navigate = useNavigate();
  const discard = useDiscardImport();
  if (!draft.actions.includes("discard") || draft.state === "kept") return null;
  return (
    <>
      <ErrorNotice error={discard.error} />
      <Button
        variant="default"
        loading={discard.isPending}
        onClick={() => discard.mutate(draft.id, { onSuccess: () => navigate("/fabrics/import") })}
      >
        Discard
      </Button>
    </>
  );
}
