// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The inventory as text: operators read it, administrators write it. A conflict with another edit is shown, and no text is lost. */

import "@/pages/profiles/profiles.css";
import { Button } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { Problem } from "@/api/problem";
import { useInventoryValidation } from "@/api/queries/documents";
import { useInventory, useRemoveInventory, useSaveInventory } from "@/api/queries/hosts";
import { useMay } from "@/api/queries/session";
import type { Inventory } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { Facts } from "@/components/facts";
import { useLeaveGuard } from "@/components/leave_guard";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { YamlEditor } from "@/components/yaml_editor/yaml_editor";
import { count } from "@/format/quantity";
import { draftInventory } from "@/pages/hosts/draft";

export function InventoryPanel({ fabric, there }: { fabric: string; there: boolean }) {
  const admin = useMay("admin");
  const inventory = useInventory(fabric, there);
  const save = useSaveInventory(fabric);
  // Once somebody writes, the editor stays, whatever others save or remove meanwhile.
  const begun = useRef(false);
  if (!there && !admin) return <div className="empty">{fabric} has no inventory yet. An administrator can write it here.</div>;
  if (there && inventory.data === undefined && !begun.current) return <QueryView query={inventory}>{() => null}</QueryView>;
  begun.current = true;
  return <Edited fabric={fabric} inventory={there ? (inventory.data ?? null) : null} save={save} />;
}

interface EditedProps {
  fabric: string;
  inventory: Inventory | null;
  save: ReturnType<typeof useSaveInventory>;
}

function Edited({ fabric, inventory, save }: EditedProps) {
  const admin = useMay("admin");
  // The inventory with which editing began; a change that somebody else saves meanwhile must not slip in.
  const [begun, setBegun] = useState(inventory);
  const former = begun?.document ?? draftInventory(fabric);
  const [text, setText] = useState(former);
  const changed = begun === null || text !== former;
  useLeaveGuard(admin && text !== former);
  useEffect(() => {
    if (inventory === null) setBegun(null);
    else if (text === former || text === inventory.document) {
      setBegun(inventory);
      setText(inventory.document);
    }
  }, [inventory, text, former]);
  const validation = useInventoryValidation(fabric, text, admin);
  const overtaken = save.error instanceof Problem && save.error.status === 412;
  const store = (etag: string | null) => save.mutate({ document: text, etag });
  const newest = inventory?.etag ?? null;
  return (
    <div className="editor">
      <YamlEditor
        kind="inventory"
        label="Document"
        description={`Inventory of ${fabric}. The key “fabric” can be omitted here.`}
        value={text}
        onChange={admin ? setText : undefined}
        problems={validation.data?.problems}
        warnings={validation.data?.warnings}
        error={overtaken ? null : save.error}
      />
      <div className="editor-side stack">
        {begun && <About inventory={begun} />}
        {admin && (
          <Notice kind="warn">
            Hosts run the agent's command as written here, so only administrators write inventories. Keys that choose a program on
            the service's machine are refused unless the setting inventory_programs allows them.
          </Notice>
        )}
        {overtaken ? (
          <Notice kind="bad" title="Somebody else has saved this inventory">
            <p>Look at the saved inventory before you overwrite it: open this page in another tab.</p>
            {/* The other's version arrives after the 412; until then the same ETag would be refused again. */}
            <Button size="xs" color="red" loading={newest === save.variables?.etag} onClick={() => store(newest)}>
              Save mine instead
            </Button>
          </Notice>
        ) : null}
        {save.data?.body.document === text && !changed && <Notice kind="good">Saved. No host was contacted.</Notice>}
        {admin && (
          <div className="row">
            <Button loading={save.isPending} disabled={!changed} onClick={() => store(begun?.etag ?? null)}>
              Save
            </Button>
            {begun && <Remove fabric={fabric} inventory={begun} />}
          </div>
        )}
      </div>
    </div>
  );
}

function About({ inventory }: { inventory: Inventory }) {
  return (
    <section className="panel" aria-label="About the inventory">
      <Facts
        facts={[
          ["Name", inventory.name],
          ["Hosts", count(inventory.hosts, "host")],
          ["Launcher", inventory.launcher],
          ["Changed", <At key="at" at={inventory.changed_at} />],
          ["By", inventory.changed_by],
        ]}
      />
    </section>
  );
}

function Remove({ fabric, inventory }: { fabric: string; inventory: Inventory }) {
  const remove = useRemoveInventory(fabric);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button variant="light" color="red" onClick={() => setAsking(true)}>
        Remove
      </Button>
      <Confirm
        opened={asking}
        title={`Remove the inventory of ${fabric}?`}
        action="Remove"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate(inventory.etag, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>The results of the last check are removed too. No campaign can measure on its hosts until there is a new inventory.</p>
      </Confirm>
    </>
  );
}
