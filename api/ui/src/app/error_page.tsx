// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** When a page itself fails: what happened, and a way on. After an update of the service, old pages may lack their parts: loading anew brings them. */

import { Button } from "@mantine/core";
import { useRouteError } from "react-router";
import { sentence } from "@/api/problem";
import { Notice } from "@/components/notice";

export function ErrorPage() {
  const error = useRouteError();
  return (
    <main className="broken">
      <Notice kind="bad" title="This page has failed">
        <p>{sentence(error)}</p>
        <Button mt="sm" onClick={() => window.location.reload()}>
          Load it anew
        </Button>
      </Notice>
    </main>
  );
}
