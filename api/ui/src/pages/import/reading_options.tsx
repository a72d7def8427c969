// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What a file does not hold: the MTU, the devices' congestion control, the routing, forwarding tables, names, and which of several
 * subnets is wanted. With another value the import is read again. */

import { Button, Checkbox, Select } from "@mantine/core";
import { useReread, useUploadPart } from "@/api/queries/imports";
import type { FabricImport } from "@/api/types";
import { ErrorNotice } from "@/components/notice";
import { DOCUMENT_DIALECTS } from "@/format/dialect";
import { count } from "@/format/quantity";
import { DropZone } from "@/pages/import/drop_zone";

const MTUS = ["256", "512", "1024", "2048", "4096"];

export function ReadingOptions({ draft }: { draft: FabricImport }) {
  const reread = useReread(draft.id);
  const routes = useUploadPart(draft.id, "routes");
  const names = useUploadPart(draft.id, "names");
  const subnets = draft.preview?.subnets ?? [];
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
          <Select
            label="Congestion control"
            description="Of all devices, in place of what their ids, names and speeds tell."
            data={DOCUMENT_DIALECTS}
            value={draft.options.congestion_control ? String(draft.options.congestion_control) : null}
            placeholder={draft.preview?.unknown_devices ? "not known: choose" : "as the devices tell"}
            clearable
            disabled={reread.isPending}
            onChange={(dialect) => reread.mutate({ congestion_control: dialect })}
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
          {subnets.length > 1 && (
            <Select
              label="Subnet"
              description="Planes and rails are several subnets; a subnet manager serves one."
              data={subnets.map(({ subnet, switches, hosts, first }) => ({
                value: String(subnet),
                label: `${subnet}: ${count(switches, "switch", "switches")}, ${count(hosts, "adapter")}, first ${first}`,
              }))}
              value={draft.options.subnet ? String(draft.options.subnet) : null}
              placeholder="all"
              clearable
              disabled={reread.isPending}
              onChange={(subnet) => reread.mutate({ subnet: subnet === null ? null : Number(subnet) })}
            />
          )}
          {draft.source === "file" && (
            <Checkbox
              label="Refuse odd rows"
              description="The first odd row is an error, instead of keeping what is sound without it."
              checked={draft.options.strict === true}
              disabled={reread.isPending}
              onChange={({ currentTarget }) => reread.mutate({ strict: currentTarget.checked })}
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
            <DropZone busy={names.isPending} label="Choose a node name map" onFile={(file) => names.mutate(file)}>
              <p>
                {draft.names_name ? `The names are those of ${draft.names_name}. ` : ""}Drop a node name map here, as OpenSM reads
                it: a GUID and a name a line.
              </p>
            </DropZone>
            <ErrorNotice error={names.error} />
          </div>
        )}
      </div>
    </section>
  );
}
