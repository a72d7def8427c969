// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What was done about nights that failed, each with a button that undoes it. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { Link } from "react-router";
import { useAnswers, useUndoAnswer } from "@/api/queries/checks";
import type { Check, CheckAnswer } from "@/api/types";
import { Confirm } from "@/components/confirm";
import { JobProgress } from "@/components/job_progress";
import { Tag } from "@/components/tag";
import { Ago, At } from "@/components/time";
import { NightLink } from "@/pages/checks/changes_panel";
import { ANSWERS } from "@/pages/checks/policy";

export function AnswersPanel({ check }: { check: Check }) {
  const answers = useAnswers(check.name);
  const items = answers.items ?? [];
  if (items.length === 0) return null;
  return (
    <section className="panel stack" aria-labelledby="answers">
      <h2 id="answers">Answers</h2>
      <ul className="plain-list">
        {items.map((answer) => (
          <li key={answer.id}>
            <Answer answer={answer} />
          </li>
        ))}
      </ul>
      {answers.hasNextPage && (
        <button type="button" className="plain-link small" onClick={() => answers.fetchNextPage()}>
          Show earlier answers
        </button>
      )}
    </section>
  );
}

function Answer({ answer }: { answer: CheckAnswer }) {
  const undo = useUndoAnswer(answer.check);
  const [asking, setAsking] = useState(false);
  const job = answer.undo_job ?? answer.job;
  const isAtWork = answer.state === "running" || answer.state === "undoing";
  return (
    <article className="panel stack tight headline">
      <div className="row ends">
        <span className="row">
          <strong>{ANSWERS[answer.answer].title}</strong> <Tag state={answer.state} />
          {answer.state === "done" && !answer.stands && <span className="small soft">its cause is gone</span>}
        </span>
        {answer.actions.includes("undo") && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            {answer.state === "waiting" ? "Withdraw" : "Undo"}
          </Button>
        )}
      </div>
      <p>{answer.sentence}</p>
      <p className="small soft">
        To the night of <NightLink check={answer.check} date={answer.night} />, <Ago at={answer.created_at} />
        {answer.waits_until && (
          <>
            ; waits for the maintenance window, <At at={answer.waits_until} />
          </>
        )}
        {answer.undone_at && (
          <>
            ; undone <Ago at={answer.undone_at} />
            {answer.undone_by && `, by ${answer.undone_by}`}
          </>
        )}
        {answer.campaign && answer.state !== "undone" && (
          <>
            ; <Link to={`/campaigns/${answer.campaign}`}>the drafted campaign</Link>
          </>
        )}
      </p>
      {answer.problem && <p className="small">{answer.problem}</p>}
      {isAtWork && job && <JobProgress key={job} id={job} what={answer.state === "undoing" ? "Undo" : "Answer"} />}
      <Confirm
        opened={asking}
        title={answer.state === "waiting" ? "Withdraw this answer?" : "Undo this answer?"}
        action={answer.state === "waiting" ? "Withdraw" : "Undo"}
        busy={undo.isPending}
        error={undo.error}
        onConfirm={() => undo.mutate(answer.id, { onSuccess: () => setAsking(false) })}
        onClose={() => setAsking(false)}
      >
        <p>{answer.undo_does}</p>
      </Confirm>
    </article>
  );
}
