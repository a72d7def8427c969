// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The fabrics of the service. */

import { Button, Checkbox, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Link } from "react-router";
import { useAddFabric, useChangeFabric, useFabrics, useRemoveFabric } from "@/api/queries/fabrics";
import { usePackagedFabrics } from "@/api/queries/imports";
import { useMay, useSession } from "@/api/queries/session";
import type { Fabric } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { DataTable } from "@/components/data_table";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { count } from "@/format/quantity";
import { DEFAULT_SOCKET, KINDS, SOCKETS_HELP, socketOptions } from "@/pages/settings/kinds";

export function FabricSettings() {
  const fabrics = useFabrics();
  const admin = useMay("admin");
  const change = useChangeFabric();
  const remove = useRemoveFabric();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string | null>(null);
  return (
    <div className="stack">
      {admin && (
        <div className="row">
          <Button component={Link} to="/fabrics/import">
            Import a fabric
          </Button>
          <Button variant="default" onClick={() => setAdding(true)}>
            Add a fabric
          </Button>
        </div>
      )}
      <ErrorNotice error={change.error} />
      <QueryView query={{ ...fabrics, data: fabrics.items }}>
        {(items) => (
          <DataTable
            caption="Fabrics"
            columns={[
              {
                key: "name",
                title: "Name",
                head: true,
                value: (row) => row.name,
                show: (row) => <Link to={`/fabrics/${encodeURIComponent(row.name)}`}>{row.name}</Link>,
              },
              { key: "kind", title: "Kind", value: (row) => row.kind },
              { key: "description", title: "Description", value: (row) => row.description },
              {
                key: "options",
                title: "Options",
                value: (row) => row.options_summary,
                show: (row) => row.options_summary || "–",
              },
              {
                key: "second_person",
                title: "Second person",
                value: (row) => row.second_person,
                show: (row) =>
                  admin ? (
                    <SecondPerson fabric={row} onChange={(on) => change.mutate({ name: row.name, second_person: on })} />
                  ) : row.second_person ? (
                    "needed"
                  ) : (
                    "no"
                  ),
              },
              {
                key: "actions",
                title: "",
                value: () => null,
                show: (row) =>
                  admin ? (
                    <Button size="compact-xs" variant="light" color="red" onClick={() => setRemoving(row.name)}>
                      Remove
                    </Button>
                  ) : null,
              },
            ]}
            rows={items}
            rowKey={(row) => row.name}
            file="fabrics"
            empty="No fabric yet."
          />
        )}
      </QueryView>
      {adding && <AddFabric onClose={() => setAdding(false)} />}
      <Confirm
        opened={removing !== null}
        title={`Remove ${removing}?`}
        action="Remove"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removing && remove.mutate(removing, { onSuccess: () => setRemoving(null) })}
        onClose={() => setRemoving(null)}
      >
        <p>The service no longer manages the fabric. Its devices keep the profiles they hold, and its campaigns are kept.</p>
      </Confirm>
    </div>
  );
}

/** Two admins are needed to switch it off: the first one's request is shown beside the box until the second one agrees. */
function SecondPerson({ fabric, onChange }: { fabric: Fabric; onChange: (on: boolean) => void }) {
  const self = useSession().data?.user.username;
  const asked = fabric.second_person_off_asked;
  const label = `Promotions on ${fabric.name} need a second person`;
  if (!asked) {
    return (
      <Checkbox aria-label={label} checked={fabric.second_person} onChange={(event) => onChange(event.currentTarget.checked)} />
    );
  }
  return (
    <span className="row">
      <Checkbox aria-label={label} checked readOnly />
      <span>
        {asked.by === self ? "You asked to switch it off; another admin must agree." : `${asked.by} asked to switch it off.`}
      </span>
      {asked.by !== self && (
        <Button size="compact-xs" variant="light" color="red" onClick={() => onChange(false)}>
          Switch it off
        </Button>
      )}
      <Button size="compact-xs" variant="default" onClick={() => onChange(true)}>
        Keep it
      </Button>
    </span>
  );
}

function AddFabric({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [kind, setKind] = useState("simulated");
  const [where, setWhere] = useState("two-switch");
  const [second, setSecond] = useState(false);
  const add = useAddFabric();
  const packaged = usePackagedFabrics().items ?? [];
  const real = kind === "plugin";
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { name, kind, options: real ? socketOptions(where) : { fabric: where }, second_person: second },
      { onSuccess: onClose },
    );
  };
  return (
    <Dialog opened onClose={onClose} title="Add a fabric">
      <form className="stack" onSubmit={submit}>
        <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} data-autofocus />
        <Select
          label="Kind"
          data={KINDS}
          value={kind}
          onChange={(value) => {
            setKind(value ?? "simulated");
            setWhere(value === "plugin" ? DEFAULT_SOCKET : "two-switch");
          }}
        />
        {real ? (
          <TextInput
            label="Socket of the plugin"
            description={SOCKETS_HELP}
            required
            value={where}
            onChange={(event) => setWhere(event.currentTarget.value)}
          />
        ) : (
          <Select
            label="Fabric document"
            description="One that comes with ibcc. Import a fabric of yours instead."
            data={packaged.map(({ name, switches, hosts }) => ({
              value: name,
              label: `${name}: ${count(switches, "switch", "switches")}, ${count(hosts, "host")}`,
            }))}
            value={where}
            allowDeselect={false}
            onChange={(value) => setWhere(value ?? "two-switch")}
          />
        )}
        <Checkbox
          label="Promotions need a second person"
          checked={second}
          onChange={(event) => setSecond(event.currentTarget.checked)}
        />
        <ErrorNotice error={add.error} />
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}
