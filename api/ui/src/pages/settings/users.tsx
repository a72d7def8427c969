// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Users and their roles, for administrators. */

import { Button, PasswordInput, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Problem } from "@/api/problem";
import { useAddUser, useChangeUser, useRemoveUser, useSettleUser, useUsers } from "@/api/queries/people";
import { useSession } from "@/api/queries/session";
import type { Role, User } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { DataTable } from "@/components/data_table";
import { Dialog } from "@/components/dialog";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { RIGHTS } from "@/pages/settings/account";

const ROLES = Object.entries(RIGHTS).map(([value, rights]) => ({ value, label: `${value}: ${rights}` }));

export function Users() {
  const users = useUsers();
  const change = useChangeUser();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<User | null>(null);
  const self = useSession().data?.user.id;
  const remove = useRemoveUser();
  const settle = useSettleUser();
  return (
    <div className="stack">
      <div className="row">
        <Button onClick={() => setAdding(true)}>Add a user</Button>
      </div>
      <ErrorNotice error={change.error} />
      <ErrorNotice error={settle.error} />
      {settle.data && (
        <Notice kind="info" title={`Link for ${settle.variables?.username} only`}>
          <p>
            Hand this link to the owner of the account. It sets a password, works once, and is not shown again:{" "}
            <code className="secret">{new URL(settle.data.path, window.location.origin).href}</code>
          </p>
        </Notice>
      )}
      <QueryView query={{ ...users, data: users.items }}>
        {(items) => (
          <DataTable
            caption="Users"
            columns={[
              { key: "username", title: "User name", head: true, value: (row) => row.username },
              {
                key: "role",
                title: "Role",
                value: (row) => row.role,
                show: (row) =>
                  row.id === self ? (
                    row.role
                  ) : (
                    <Select
                      size="xs"
                      aria-label={`Role of ${row.username}`}
                      data={["viewer", "operator", "admin"]}
                      value={row.role}
                      onChange={(role) => role && change.mutate({ id: row.id, role: role as Role })}
                    />
                  ),
              },
              {
                key: "disabled",
                title: "State",
                value: (row) => row.disabled,
                show: (row) => (
                  <span className="row">
                    <Tag state={row.disabled ? "disabled" : "active"} tone={row.disabled ? "warn" : "good"} />
                    {row.in_hands_of.length > 0 && <span>usable by {row.in_hands_of.join(", ")}</span>}
                  </span>
                ),
              },
              {
                key: "last_login_at",
                title: "Last login",
                value: (row) => row.last_login_at,
                show: (row) => (row.last_login_at ? <Ago at={row.last_login_at} /> : "never"),
              },
              { key: "created_at", title: "Since", value: (row) => row.created_at, show: (row) => <Ago at={row.created_at} /> },
              {
                key: "actions",
                title: "",
                value: () => null,
                show: (row) =>
                  row.id === self ? (
                    <span className="soft">you</span>
                  ) : (
                    <span className="row">
                      <Button size="compact-xs" variant="default" onClick={() => settle.mutate(row)}>
                        {row.lacks === "confirmation" ? "Confirm" : "Link for the owner"}
                      </Button>
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => change.mutate({ id: row.id, disabled: !row.disabled })}
                      >
                        {row.disabled ? "Enable" : "Disable"}
                      </Button>
                      <Button size="compact-xs" variant="light" color="red" onClick={() => setRemoving(row)}>
                        Remove
                      </Button>
                    </span>
                  ),
              },
            ]}
            rows={items}
            rowKey={(row) => row.id}
            file="users"
            empty="No user."
          />
        )}
      </QueryView>
      {adding && <AddUser onClose={() => setAdding(false)} />}
      <Confirm
        opened={removing !== null}
        title={`Remove ${removing?.username}?`}
        action="Remove"
        danger
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => removing && remove.mutate(removing.id, { onSuccess: () => setRemoving(null) })}
        onClose={() => setRemoving(null)}
      >
        <p>
          Sessions and tokens end now. What {removing?.username} did stays in the audit log. Disabling can be undone, removing
          cannot.
        </p>
      </Confirm>
    </div>
  );
}

function AddUser({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const add = useAddUser();
  const problem = add.error instanceof Problem ? add.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate({ username, password, role }, { onSuccess: onClose });
  };
  return (
    <Dialog opened onClose={onClose} title="Add a user">
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="User name"
          required
          autoComplete="off"
          value={username}
          error={problem?.field("username")}
          onChange={(event) => setUsername(event.currentTarget.value)}
          data-autofocus
        />
        <PasswordInput
          label="First password"
          description="The user must change it, under Account."
          required
          autoComplete="new-password"
          value={password}
          error={problem?.field("password")}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Select label="Role" data={ROLES} value={role} onChange={(value) => setRole((value as Role) ?? "viewer")} />
        <ErrorNotice error={add.error} fields={["username", "password"]} />
        <Button type="submit" loading={add.isPending}>
          Add
        </Button>
      </form>
    </Dialog>
  );
}
