// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The viewer's own account and password. */

import { Button, PasswordInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Problem } from "@/api/problem";
import { useChangePassword } from "@/api/queries/people";
import { useSession } from "@/api/queries/session";
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
  if (!user) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (next !== again) return;
    change.mutate(
      { current, new: next },
      {
        onSuccess: () => {
          setCurrent("");
          setNext("");
          setAgain("");
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
        <ErrorNotice error={change.error} />
        {change.isSuccess && <Notice kind="good">The password was changed, and your other sessions were ended.</Notice>}
        <Button type="submit" loading={change.isPending} disabled={next !== again}>
          Change the password
        </Button>
      </form>
    </div>
  );
}
