// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The login page. */

import "@/app/shell.css";
import { Button, PasswordInput, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { Navigate, useLocation, useSearchParams } from "react-router";
import { useLogin, useSession, useSetupNeeded } from "@/api/queries/session";
import { ErrorNotice, Notice } from "@/components/notice";

/** Only paths of this site: a link must not lead elsewhere. */
export function safeBack(back: string | null): string {
  return back?.startsWith("/") && !back.startsWith("//") && !back.startsWith("/\\") ? back : "/";
}

export default function Login() {
  const [search] = useSearchParams();
  const expired = (useLocation().state as { expired?: boolean } | null)?.expired === true;
  const session = useSession();
  const setup = useSetupNeeded();
  const login = useLogin();
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  useEffect(() => {
    document.title = "Log in – ibcc";
  }, []);
  if (session.data) return <Navigate to={safeBack(search.get("back"))} replace />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    login.mutate({ username, password });
  };
  return (
    <main className="alone">
      <div className="brand">
        <img src="/icon.svg" alt="" width={36} height={36} />
        <h1>ibcc</h1>
      </div>
      {expired && <Notice kind="info">Your session has ended. Log in again to return to the page where you were.</Notice>}
      {setup.data?.needed ? (
        <Notice kind="info" title="First start">
          <p>
            There are no users yet. The service printed a one-time link when it started: open it to create the first
            administrator. <code>ibcc user add NAME --role admin</code> on the service's machine does it too.
          </p>
        </Notice>
      ) : (
        <form className="stack" onSubmit={submit}>
          <TextInput
            label="User name"
            autoComplete="username"
            required
            value={username}
            onChange={(event) => setUsername(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <ErrorNotice error={login.error} />
          <Button type="submit" loading={login.isPending} fullWidth>
            Log in
          </Button>
        </form>
      )}
    </main>
  );
}
