// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Promotions that wait for the viewer's approval. */

import { Button } from "@mantine/core";
import { Link } from "react-router";
import { useWaitingApprovals } from "@/api/queries/promotions";
import { Notice } from "@/components/notice";
import { Ago } from "@/components/time";

export function WaitingApprovals() {
  const waiting = useWaitingApprovals();
  if (waiting.length === 0) return null;
  return (
    <section className="stack" aria-labelledby="approvals">
      <h2 id="approvals">Waiting for your approval</h2>
      {waiting.map(({ id, fabric, profile, version, created_by, created_at, comment }) => (
        <Notice key={id} kind="warn" title={`${profile}, version ${version}, on ${fabric}`}>
          <div className="row ends">
            <p className="breaking">
              {created_by} asked <Ago at={created_at} />. {comment}
            </p>
            <Button
              size="xs"
              component={Link}
              to={`/promote?fabric=${encodeURIComponent(fabric)}&profile=${encodeURIComponent(profile)}&version=${version}`}
            >
              Look at it
            </Button>
          </div>
        </Notice>
      ))}
    </section>
  );
}
