// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Keeps an import: as a new fabric, whose name and kind are chosen here, or as the next version of its fabric. */

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useNavigate } from "react-router";
import { useFabrics } from "@/api/queries/fabrics";
import { useKeepImport } from "@/api/queries/imports";
import type { FabricImport } from "@/api/types";
import { ErrorNotice } from "@/components/notice";
import { DEFAULT_SOCKET, KINDS, SOCKETS_HELP, socketOptions } from "@/pages/settings/kinds";

export function KeepForm({ draft }: { draft: FabricImport }) {
  return draft.fabric ? <NextVersion draft={draft} fabric={draft.fabric} /> : <NewFabric draft={draft} />;
}

function useKept(draft: FabricImport) {
  const navigate = useNavigate();
  return useKeepImport(draft.id, ({ fabric }) => fabric && navigate(`/fabrics/${encodeURIComponent(fabric)}`));
}

function NextVersion({ draft, fabric }: { draft: FabricImport; fabric: string }) {
  const keep = useKept(draft);
  const same = draft.preview?.differences?.length === 0;
  return (
    <section className="panel stack" aria-label="Keep">
      <p>
        {same
          ? `${fabric} is as it was in version ${draft.base_version}: there is nothing to keep.`
          : `Kept, this is the next version of ${fabric}. Older versions can be restored, and campaigns keep theirs.`}
      </p>
      <ErrorNotice error={keep.error} />
      <div className="row">
        <Button loading={keep.isPending} disabled={same} onClick={() => keep.mutate({})}>
          Keep as the next version
        </Button>
      </div>
    </section>
  );
}

function NewFabric({ draft }: { draft: FabricImport }) {
  const keep = useKept(draft);
  const taken = (useFabrics().items ?? []).map(({ name }) => name);
  const [name, setName] = useState<string | null>(null);
  const [kind, setKind] = useState("simulated");
  const [socket, setSocket] = useState(DEFAULT_SOCKET);
  const [second, setSecond] = useState(false);
  const chosen = name ?? free(draft.name, taken);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const options = kind === "plugin" ? socketOptions(socket) : {};
    keep.mutate({ fabric: { name: chosen, kind, options, description: "", second_person: second } });
  };
  const isTaken = taken.includes(chosen) && !keep.isPending && !keep.isSuccess;
  return (
    <form className="panel stack" aria-label="Keep" onSubmit={submit}>
      <div className="row bottom">
        <TextInput
          className="grow"
          label="Name"
          required
          value={chosen}
          error={isTaken ? "There is a fabric of that name; import it again from its page to make a version of it" : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Select
          className="grow"
          label="Kind"
          data={KINDS}
          value={kind}
          allowDeselect={false}
          onChange={(value) => setKind(value ?? "simulated")}
        />
        {kind === "plugin" && (
          <TextInput
            className="grow"
            label="Socket of the plugin"
            description={SOCKETS_HELP}
            required
            value={socket}
            onChange={(event) => setSocket(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={keep.isPending} disabled={isTaken}>
          Keep
        </Button>
      </div>
      <Checkbox
        label="Promotions need a second person"
        checked={second}
        onChange={(event) => setSecond(event.currentTarget.checked)}
      />
      <ErrorNotice error={keep.error} />
    </form>
  );
}

/** The name, or with a number behind it the first that no fabric has. */
function free(name: string, taken: string[]): string {
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number++) {
    const other = `${name.slice(0, 60)}-${number}`;
    if (!taken.includes(other)) return other;
  }
}
