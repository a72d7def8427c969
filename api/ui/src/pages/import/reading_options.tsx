// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a file does not hold: the MTU, the routing, and forwarding tables. With another value the import is read again. */

import { Button, Select } from "@mantine/core";
import { useReread, useUploadRoutes } from "@/api/queries/imports";
import type { FabricImport } from "@/api/types";
import { ErrorNotice } from "@/components/notice";
import { DropZone } from "@/pages/import/drop_zone";

const MTUS = ["256", "512", "1024", "2048", "4096"];

export function ReadingOptions({ draft }: { draft: FabricImport }) {
  const reread = useReread(draft.id);
  const routes = useUploadRoutes(draft.id);
  const routings = (draft.preview?.advice?.engines ?? []).filter(({ loads, as_it_is }) => loads && !as_it_is);
  const mtu = draft.preview?.mtu_bytes ?? draft.options.mtu_bytes;
  return (
    <section className="panel stack" aria-labelledby="options">
      <h2 id="options">Read it again</h2>
      <div className="halves">
        <div className="stack">
          <Select
            label="MTU in bytes"
            description="The output of ibnetdiscover does not hold it."
            data={MTUS}
            value={mtu ? String(mtu) : null}
            allowDeselect={false}
            disabled={reread.isPending}
            onChange={(value) => value && reread.mutate({ mtu_bytes: Number(value) })}
          />
          {routings.length > 0 && (
            <Select
              label="Routing"
              description="In place of the one that suits the shape, or of forwarding tables."
              data={routings.map(({ routing }) => routing)}
              value={draft.options.routing ? String(draft.options.routing) : null}
              placeholder={draft.preview?.routing}
              clearable
              disabled={reread.isPending}
              onChange={(routing) => reread.mutate({ routing })}
            />
          )}
          <div className="row">
            <Button variant="default" loading={reread.isPending} onClick={() => reread.mutate({})}>
              {draft.fabric ? "Compare again" : "Read again"}
            </Button>
          </div>
          <ErrorNotice error={reread.error} />
        </div>
        {draft.source === "file" && (
          <div className="stack">
            <DropZone busy={routes.isPending} label="Choose forwarding tables" onFile={(file) => routes.mutate(file)}>
              <p>
                {draft.routes_name ? `The forwarding tables are those of ${draft.routes_name}. ` : ""}Drop{" "}
                <code>opensm-lfts.dump</code> here, or the output of <code>dump_fts</code>.
              </p>
            </DropZone>
            <ErrorNotice error={routes.error} />
          </div>
        )}
      </div>
    </section>
  );
}
