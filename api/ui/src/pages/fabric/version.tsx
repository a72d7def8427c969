// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A version of a fabric's wiring: its picture, what it changed, and the way back to it. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useNavigate, useParams } from "react-router";
import { useRestoreVersion, useVersionPicture, useVersions } from "@/api/queries/imports";
import { useMay } from "@/api/queries/session";
import { Confirm } from "@/components/confirm";
import { PageHead } from "@/components/page_head";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Incomplete } from "@/pages/fabric/incomplete";
import { TopologyMap } from "@/pages/fabric/topology_map";
import { Differences } from "@/pages/import/differences";

export default function VersionPage() {
  const { fabric = "", version = "" } = useParams();
  const number = Number(version);
  const known = useVersions(fabric).items?.find((one) => one.version === number);
  const picture = useVersionPicture(fabric, number);
  const where = `/fabrics/${encodeURIComponent(fabric)}`;
  const crumbs = [
    { to: where, text: fabric },
    { to: `${where}?tab=versions`, text: "Versions" },
  ];
  return (
    <div className="stack">
      <PageHead
        title={`Version ${version} of ${fabric}`}
        crumbs={crumbs}
        beside={known?.current && <Tag state="present" tone="good" />}
      >
        {known && !known.current && <RestoreButton fabric={fabric} version={number} />}
      </PageHead>
      {known && <p className="breaking">{known.origin}</p>}
      {known?.differences && (
        <section className="stack tight" aria-labelledby="differences">
          <h2 id="differences">Differences from the version before</h2>
          <Differences differences={known.differences} />
        </section>
      )}
      <QueryView query={picture} rows={12}>
        {(drawn) => (
          <>
            <Incomplete reason={drawn.incomplete} />
            <TopologyMap topology={drawn} chosen={null} onChoose={() => {}} />
          </>
        )}
      </QueryView>
    </div>
  );
}

function RestoreButton({ fabric, version }: { fabric: string; version: number }) {
  const admin = useMay("admin");
  const navigate = useNavigate();
  const restore = useRestoreVersion(fabric);
  const [asking, setAsking] = useState(false);
  if (!admin) return null;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Restore this version
      </Button>
      <Confirm
        opened={asking}
        title={`Restore version ${version}?`}
        action="Restore"
        busy={restore.isPending}
        error={restore.error}
        onConfirm={() =>
          restore.mutate(version, { onSuccess: () => navigate(`/fabrics/${encodeURIComponent(fabric)}?tab=versions`) })
        }
        onClose={() => setAsking(false)}
      >
        <p>
          {fabric} gets the wiring of version {version} again, as its next version. Campaigns keep the wiring that they were made
          with.
        </p>
      </Confirm>
    </>
  );
}
