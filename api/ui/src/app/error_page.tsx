// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shown when a page fails. After an update of the service an old page may lack files, which a reload brings. */

import { Button } from "@mantine/core";
import { useRouteError } from "react-router";
import { sentence } from "@/api/problem";
import { Notice } from "@/components/notice";

export function ErrorPage() {
  const error = useRouteError();
  return (
    <main className="broken">
      <Notice kind="bad" title="Something went wrong on this page">
        <p>{sentence(error)}</p>
        <Button mt="sm" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </Notice>
    </main>
  );
}
