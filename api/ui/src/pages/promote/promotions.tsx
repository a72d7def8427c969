// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Promotions that wait for a second person, and all others. */

import { Button, Textarea } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useDecide, usePromotions } from "@/api/queries/promotions";
import { useSession } from "@/api/queries/session";
import type { Promotion } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { type Column, DataTable } from "@/components/data_table";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { Ago } from "@/components/time";
import { ApproveDialog } from "@/pages/promote/approve_dialog";
import { AskAgain } from "@/pages/promote/ask_again";
import { PageNotice } from "@/pages/promote/page_notice";

const COLUMNS: Column<Promotion>[] = [
  { key: "created_at", title: "When", value: (row) => row.created_at, show: (row) => <Ago at={row.created_at} /> },
  { key: "fabric", title: "Fabric", value: (row) => row.fabric },
  {
    key: "profile",
    title: "Profile",
    value: (row) => `${row.profile} ${row.version}`,
    show: (row) => (
      <Link to={`/profiles/${encodeURIComponent(row.profile)}?version=${row.version}`}>
        {row.profile}, version {row.version}
      </Link>
    ),
  },
  { key: "state", title: "State", value: (row) => row.state, show: (row) => <Tag state={row.state} /> },
  { key: "created_by", title: "By", value: (row) => row.created_by },
  { key: "decided_by", title: "Decided by", value: (row) => row.decided_by ?? "" },
  { key: "comment", title: "Why", value: (row) => row.comment },
  { key: "decision_comment", title: "Comment", value: (row) => row.decision_comment },
  { key: "problem", title: "Problem", value: (row) => row.problem ?? "" },
];

export function Promotions({ fabric }: { fabric: string }) {
  const promotions = usePromotions(fabric);
  return (
    <section className="stack" aria-labelledby="promotions">
      <h2 id="promotions">Promotions{fabric && ` of ${fabric}`}</h2>
      <QueryView query={{ ...promotions, data: promotions.items }}>
        {(items) => (
          <>
            {items
              .filter((one, i) => one.state === "pending" || (one.state === "outdated" && !isFollowed(one, items.slice(0, i))))
              .map((promotion) => (
                <Pending key={promotion.id} promotion={promotion} />
              ))}
            <DataTable
              caption="Promotions"
              columns={COLUMNS}
              rows={items}
              rowKey={(row) => row.id}
              file="promotions"
              empty="No promotion yet."
            />
          </>
        )}
      </QueryView>
    </section>
  );
}

/** True if the same was asked for later. `newer`: the promotions after it. */
function isFollowed({ fabric, profile, version }: Promotion, newer: Promotion[]): boolean {
  return newer.some((one) => one.fabric === fabric && one.profile === profile && one.version === version);
}

function Pending({ promotion }: { promotion: Promotion }) {
  const own = useSession().data?.user.username === promotion.created_by;
  const mayApprove = promotion.actions.includes("approve");
  const mayReject = promotion.actions.includes("reject");
  const decide = useDecide();
  const [asking, setAsking] = useState<"approve" | "reject" | null>(null);
  const [comment, setComment] = useState("");
  const reject = () => decide.mutate({ id: promotion.id, decision: "reject", comment }, { onSuccess: () => setAsking(null) });
  return (
    <PageNotice promotion={promotion}>
      {promotion.problem && <p>It cannot be approved: {promotion.problem}.</p>}
      <AskAgain promotion={promotion} />
      {mayReject && !mayApprove && (
        <p className="soft">
          {own
            ? "You asked for it, so another person must approve it. You can withdraw it."
            : "You cannot approve it: your account and the account that asked could be used by one person."}
        </p>
      )}
      {(mayApprove || mayReject) && (
        <div className="row">
          {mayApprove && (
            <Button size="xs" onClick={() => setAsking("approve")}>
              Approve…
            </Button>
          )}
          {mayReject && (
            <Button size="xs" variant="default" onClick={() => setAsking("reject")}>
              {own ? "Withdraw…" : "Reject…"}
            </Button>
          )}
        </div>
      )}
      <ApproveDialog promotion={promotion} opened={asking === "approve"} onClose={() => setAsking(null)} />
      <Confirm
        opened={asking === "reject"}
        title={`${own ? "Withdraw" : "Reject"} ${promotion.profile} on ${promotion.fabric}?`}
        action="Reject"
        busy={decide.isPending}
        error={decide.error}
        onConfirm={reject}
        onClose={() => setAsking(null)}
      >
        <Textarea
          label="Comment"
          autosize
          minRows={2}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
          data-autofocus
        />
      </Confirm>
    </PageNotice>
  );
}
