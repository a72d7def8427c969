// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The viewer's own account and password. */

import { Button, Checkbox, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Problem } from "@/api/problem";
import { useChangePassword, useEndSessions } from "@/api/queries/people";
import { useSession } from "@/api/queries/session";
import { Confirm } from "@/components/confirm";
import { Facts } from "@/components/facts";
import { ErrorNotice, Notice } from "@/components/notice";
import { At } from "@/components/time";

export const RIGHTS = {
  viewer: "reads everything but the audit log; changes nothing",
  operator: "runs campaigns, changes profiles, applies and promotes them",
  admin: "also manages users and fabrics",
} as const;

export function Account() {
  const user = useSession().data?.user;
  const change = useChangePassword();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [again, setAgain] = useState("");
  const [keepTokens, setKeepTokens] = useState(false);
  const end = useEndSessions();
  const [ending, setEnding] = useState(false);
  if (!user) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (next !== again) return;
    change.mutate(
      { current, new: next, keep_tokens: keepTokens },
      {
        onSuccess: () => {
          setCurrent("");
          setNext("");
          setAgain("");
          setKeepTokens(false);
        },
      },
    );
  };
  return (
    <div className="halves">
      <section className="panel stack" aria-labelledby="who">
        <h2 id="who">Your account</h2>
        <Facts
          facts={[
            ["User name", user.username],
            ["Role", `${user.role}: ${RIGHTS[user.role]}`],
            ["Since", <At key="since" at={user.created_at} />],
            ["Times", `shown in ${Intl.DateTimeFormat().resolvedOptions().timeZone}`],
          ]}
        />
        <div className="row">
          <Button variant="default" onClick={() => setEnding(true)}>
            End all my sessions
          </Button>
        </div>
        <Confirm
          opened={ending}
          title="End all your sessions?"
          action="End all sessions"
          danger
          busy={end.isPending}
          error={end.error}
          onConfirm={() => end.mutate()}
          onClose={() => setEnding(false)}
        >
          <p>You are logged out here and in all other browsers. Your tokens stay valid.</p>
        </Confirm>
      </section>
      <form className="panel stack" aria-labelledby="password" onSubmit={submit}>
        <h2 id="password">Password</h2>
        <input type="text" autoComplete="username" value={user.username} readOnly hidden />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          required
          value={next}
          error={change.error instanceof Problem ? change.error.field("new") : undefined}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        <PasswordInput
          label="Repeat the new password"
          autoComplete="new-password"
          required
          value={again}
          error={again && again !== next ? "The passwords differ." : undefined}
          onChange={(event) => setAgain(event.currentTarget.value)}
        />
        <Checkbox
          label="Keep my tokens"
          description="Otherwise they end: whoever knew the old password may have made some."
          checked={keepTokens}
          onChange={(event) => setKeepTokens(event.currentTarget.checked)}
        />
        <ErrorNotice error={change.error} />
        {change.isSuccess && (
          <Notice kind="good">
            The password was changed, and your other sessions {change.variables.keep_tokens ? "" : "and your tokens "}were ended.
          </Notice>
        )}
        <Button type="submit" loading={change.isPending} disabled={next !== again}>
          Change the password
        </Button>
      </form>
    </div>
  );
}
