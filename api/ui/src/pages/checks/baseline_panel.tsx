// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The nights that later ones are compared with: accept others, or put the former ones back. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useBaseline, useUndoAccept } from "@/api/queries/checks";
import type { Baseline, Check, Night } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { Facts } from "@/components/facts";
import { Notice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { At } from "@/components/time";
import { nightText } from "@/format/night";
import { count } from "@/format/quantity";
import { AcceptDialog } from "@/pages/checks/accept_dialog";

interface Props {
  check: Check;
  nights: Night[];
  hasMore: boolean;
  onMore: () => void;
}

export function BaselinePanel({ check, ...loaded }: Props) {
  const baseline = useBaseline(check.name, check.baseline !== null);
  const [accepting, setAccepting] = useState(false);
  return (
    <section className="panel stack" aria-labelledby="baseline">
      <h2 id="baseline">Baseline</h2>
      {check.baseline === null ? (
        <p className="prose">
          There is no baseline yet, so only findings fail this check, and metrics are not judged. Let it run for{" "}
          {count(check.learn_nights, "night")}, look at the trends, and accept the nights in which all was well.
        </p>
      ) : (
        <QueryView query={baseline}>{(known) => <About baseline={known} />}</QueryView>
      )}
      <div className="row">
        {check.actions.includes("accept") && (
          <Button variant={check.baseline === null ? undefined : "default"} onClick={() => setAccepting(true)}>
            Accept nights…
          </Button>
        )}
        {check.actions.includes("undo_accept") && baseline.data?.former && <Undo check={check} baseline={baseline.data} />}
      </div>
      {accepting && <AcceptDialog check={check} {...loaded} onClose={() => setAccepting(false)} />}
    </section>
  );
}

function About({ baseline }: { baseline: Baseline }) {
  const [first, last] = [baseline.nights[0], baseline.nights[baseline.nights.length - 1]];
  return (
    <Facts
      facts={[
        [
          "Nights",
          `${count(baseline.nights.length, "night")}, ${first ? nightText(first) : ""} to ${last ? nightText(last) : ""}`,
        ],
        [
          "Accepted",
          <>
            <At key="at" at={baseline.at} />, by {baseline.by}
          </>,
        ],
        ...(baseline.former
          ? [
              ["Before", `${count(baseline.former.nights, "night")}, until ${nightText(baseline.former.last)}`] as [
                string,
                string,
              ],
            ]
          : []),
      ]}
    />
  );
}

function Undo({ check, baseline }: { check: Check; baseline: Baseline }) {
  const undo = useUndoAccept(check.name);
  const [asking, setAsking] = useState(false);
  if (!baseline.former) return null;
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        Undo
      </Button>
      {undo.isSuccess && <Notice kind="good">The former baseline is back.</Notice>}
      <Confirm
        opened={asking}
        title="Put the former baseline back?"
        action="Put it back"
        busy={undo.isPending}
        error={undo.error}
        onConfirm={() => undo.mutate(undefined, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>
          From the next night on, metrics are compared with the {count(baseline.former.nights, "night")} that {baseline.former.by}{" "}
          accepted before, <At at={baseline.former.at} />. The present baseline is gone then; its nights can be accepted again.
        </p>
      </Confirm>
    </>
  );
}
