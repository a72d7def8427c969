// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Runs tonight's check now, or cancels it, as the service allows. */

import { Button } from "@mantine/core";
import { sentence } from "@/api/problem";
import { useRunCheck } from "@/api/queries/checks";
import type { Check } from "@/api/types";
import { ErrorNotice } from "@/components/notice";

export function RunButton({ check, small }: { check: Check; small?: boolean }) {
  const run = useRunCheck(check.name);
  const what = check.actions.includes("run") ? "run" : check.actions.includes("cancel") ? "cancel" : null;
  const name = <span className="hidden-text"> {check.name}</span>;
  return (
    <>
      {what && (
        <Button
          size={small ? "xs" : undefined}
          variant={small || what === "cancel" ? "default" : undefined}
          loading={run.isPending}
          onClick={() => run.mutate(what)}
        >
          {what === "run" ? "Run now" : "Cancel"}
          {small && name}
        </Button>
      )}
      {run.error &&
        (small ? (
          <p role="alert" className="small sentence">
            {sentence(run.error)}
          </p>
        ) : (
          <ErrorNotice error={run.error} />
        ))}
    </>
  );
}
