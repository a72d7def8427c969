// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A one-time link leads here: the owner of an account sets a password that nobody else knows. */

import "@/app/shell.css";
import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { Problem } from "@/api/problem";
import { useTakeAccount } from "@/api/queries/session";
import { ErrorNotice, Notice } from "@/components/notice";

export default function Welcome() {
  const [search, setSearch] = useSearchParams();
  // The token is removed from the address at once, so that no history or screenshot has it.
  const [token] = useState(() => search.get("token") ?? new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const taken = useTakeAccount();
  useEffect(() => {
    document.title = "Your password – ibcc";
    setSearch({}, { replace: true });
  }, [setSearch]);
  const differs = again !== "" && again !== password;
  const problem = taken.error instanceof Problem ? taken.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password === again) taken.mutate({ token, password });
  };
  return (
    <main className="alone">
      <div className="brand">
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1>Your password</h1>
      </div>
      {taken.isSuccess ? (
        <Notice kind="good">
          <p>
            The account is yours. <Link to="/login">Log in</Link>
          </p>
        </Notice>
      ) : (
        <form className="stack" onSubmit={submit}>
          <p>Choose a password for your account. Nobody else learns it, and all other sessions of the account end.</p>
          {!token && <Notice kind="warn">The address has no token. Open the link that an administrator gave you.</Notice>}
          <PasswordInput
            label="Password"
            autoComplete="new-password"
            required
            value={password}
            error={problem?.field("password")}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <PasswordInput
            label="Repeat the password"
            autoComplete="new-password"
            required
            value={again}
            error={differs && "The passwords differ."}
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
          <ErrorNotice error={taken.error} />
          <Button type="submit" loading={taken.isPending} disabled={differs || !token} fullWidth>
            Set the password
          </Button>
        </form>
      )}
    </main>
  );
}
