// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** First start: the one-time link leads here, to create the first administrator. */

import "@/app/shell.css";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { Link, useNavigate, useSearchParams } from "react-router";
import { Problem } from "@/api/problem";
import { useSetup, useSetupNeeded } from "@/api/queries/session";
import { ErrorNotice, Notice } from "@/components/notice";

export default function Setup() {
  const [search, setSearch] = useSearchParams();
  // The token is removed from the address at once, so that no history or screenshot has it.
  const [token] = useState(() => search.get("token") ?? new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "");
  const [username, setUsername] = useState("admin");
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const needed = useSetupNeeded();
  const setup = useSetup();
  const navigate = useNavigate();
  useEffect(() => {
    document.title = "First start – ibcc";
    setSearch({}, { replace: true });
  }, [setSearch]);
  const differs = again !== "" && again !== password;
  const problem = setup.error instanceof Problem ? setup.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password === again) setup.mutate({ token, username, password }, { onSuccess: () => navigate("/") });
  };
  return (
    <main className="alone">
      <div className="brand">
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1>First start</h1>
      </div>
      {needed.data?.needed === false ? (
        <Notice kind="info">
          <p>
            This service already has an administrator. <Link to="/login">Log in</Link>
          </p>
        </Notice>
      ) : (
        <form className="stack" onSubmit={submit}>
          <p>Create the first administrator. Other users are added later, under Settings.</p>
          {!token && (
            <Notice kind="warn">The address has no token. Open the link that the service printed when it started.</Notice>
          )}
          <TextInput
            label="User name"
            autoComplete="username"
            required
            value={username}
            error={problem?.field("username")}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
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
            error={differs ? "The passwords differ." : undefined}
            onChange={(event) => setAgain(event.currentTarget.value)}
          />
          <ErrorNotice error={setup.error} fields={["username", "password"]} />
          <Button type="submit" loading={setup.isPending} disabled={differs || !token} fullWidth>
            Create the administrator
          </Button>
        </form>
      )}
    </main>
  );
}
