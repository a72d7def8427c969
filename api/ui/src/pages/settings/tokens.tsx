// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Tokens for programs: each has a role, an end and, optionally, a list of fabrics. The secret is shown once. */

import { Button, MultiSelect, Select, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useFabrics } from "@/api/queries/fabrics";
import { useAddToken, useRevokeToken, useTokens } from "@/api/queries/people";
import { useMay } from "@/api/queries/session";
import type { NewToken, Role, Token } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { DataTable } from "@/components/data_table";
import { Dialog } from "@/components/dialog";
import { ErrorNotice, Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Ago } from "@/components/time";

export function Tokens() {
  const tokens = useTokens();
  const [adding, setAdding] = useState(false);
  const [fresh, setFresh] = useState<NewToken | null>(null);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const revoke = useRevokeToken();
  return (
    <div className="stack">
      <p className="soft prose">
        A program sends its token as <code>Authorization: Bearer …</code>. Give it the lowest role and the earliest end that will
        do.
      </p>
      <div className="row">
        <Button onClick={() => setAdding(true)}>Create a token</Button>
      </div>
      {fresh && <Secret token={fresh} />}
      <QueryView query={{ ...tokens, data: tokens.items }}>
        {(items) => (
          <DataTable
            caption="Tokens"
            columns={[
              { key: "name", title: "Name", head: true, value: (row) => row.name },
              { key: "username", title: "Owner", value: (row) => row.username },
              { key: "role", title: "Role", value: (row) => row.role },
              {
                key: "fabrics",
                title: "Fabrics",
                value: (row) => row.fabrics?.join(" ") ?? "all",
                show: (row) => row.fabrics?.join(", ") ?? "all",
              },
              { key: "expires_at", title: "Expires", value: (row) => row.expires_at, show: (row) => <Ago at={row.expires_at} /> },
              {
                key: "used_at",
                title: "Last used",
                value: (row) => row.used_at,
                show: (row) => (row.used_at ? <Ago at={row.used_at} /> : "never"),
              },
              {
                key: "actions",
                title: "",
                value: () => null,
                show: (row) => (
                  <Button size="compact-xs" variant="light" color="red" onClick={() => setRevoking(row)}>
                    Revoke
                  </Button>
                ),
              },
            ]}
            rows={items}
            rowKey={(row) => row.id}
            file="tokens"
            empty="No token yet."
          />
        )}
      </QueryView>
      {adding && (
        <AddToken
          onClose={() => setAdding(false)}
          onMade={(token) => {
            setFresh(token);
            setAdding(false);
          }}
        />
      )}
      <Confirm
        opened={revoking !== null}
        title={`Revoke ${revoking?.name}?`}
        action="Revoke"
        danger
        busy={revoke.isPending}
        error={revoke.error}
        onConfirm={() =>
          revoking &&
          revoke.mutate(revoking.id, {
            onSuccess: () => {
              if (fresh?.id === revoking.id) setFresh(null);
              setRevoking(null);
            },
          })
        }
        onClose={() => setRevoking(null)}
      >
        <p>Programs that use it are refused from now on.</p>
      </Confirm>
    </div>
  );
}

function Secret({ token }: { token: NewToken }) {
  const [copied, setCopied] = useState(false);
  return (
    <Notice kind="good" title={`Token ${token.name} was created`}>
      <p>This is its secret. It is shown only once: store it now.</p>
      <div className="row">
        <code className="secret">{token.secret}</code>
        {navigator.clipboard && (
          <Button
            size="xs"
            variant="default"
            onClick={() => navigator.clipboard.writeText(token.secret).then(() => setCopied(true))}
          >
            {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </div>
    </Notice>
  );
}

const DAY_S = 86400;
const LIVES = [
  { value: String(DAY_S), label: "1 day" },
  { value: String(30 * DAY_S), label: "30 days" },
  { value: String(90 * DAY_S), label: "90 days" },
  { value: String(365 * DAY_S), label: "1 year" },
];

function AddToken({ onClose, onMade }: { onClose: () => void; onMade: (token: NewToken) => void }) {
  const fabrics = useFabrics().items ?? [];
  const [operator, admin] = [useMay("operator"), useMay("admin")];
  const [name, setName] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const [life, setLife] = useState(String(90 * DAY_S));
  const [some, setSome] = useState<string[]>([]);
  const add = useAddToken();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expires_at = new Date(Date.now() + Number(life) * 1000).toISOString();
    add.mutate({ name, role, expires_at, fabrics: some.length > 0 ? some : undefined }, { onSuccess: onMade });
  };
  return (
    <Dialog opened onClose={onClose} title="Create a token">
      <form className="stack" onSubmit={submit}>
        <TextInput
          label="Name"
          description="The program that uses it."
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Select
          label="Role"
          data={["viewer", ...(operator ? ["operator"] : []), ...(admin ? ["admin"] : [])]}
          value={role}
          onChange={(value) => setRole((value as Role) ?? "viewer")}
        />
        <Select label="Expires after" data={LIVES} value={life} onChange={(value) => setLife(value ?? life)} />
        <MultiSelect
          label="Fabrics"
          placeholder={some.length > 0 ? undefined : "All"}
          data={fabrics.map((fabric) => fabric.name)}
          value={some}
          onChange={setSome}
        />
        <ErrorNotice error={add.error} />
        <Button type="submit" loading={add.isPending}>
          Create
        </Button>
      </form>
    </Dialog>
  );
}
