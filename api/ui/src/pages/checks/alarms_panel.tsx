// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Alarms that stand, what is muted and planned, and what operators say about them. */

import { Button } from "@mantine/core";
import { useState } from "react";
import { useAlarms, useWithdraw } from "@/api/queries/checks";
import type { Alarm, Alarms, Check, CheckDecision } from "@/api/types";
import { ErrorNotice } from "@/components/notice";
import { QueryView } from "@/components/query_view";
import { Tag } from "@/components/tag";
import { At } from "@/components/time";
import { nightText } from "@/format/night";
import { type Asked, DecideDialog } from "@/pages/checks/decide_dialog";

export function AlarmsPanel({ check }: { check: Check }) {
  const alarms = useAlarms(check.name);
  return <QueryView query={alarms}>{(known) => <Panel check={check} known={known} />}</QueryView>;
}

function Panel({ check, known }: { check: Check; known: Alarms }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const may = check.actions.includes("decide");
  if (!may && known.alarms.length === 0 && known.decisions.length === 0) return null;
  return (
    <section className="panel stack" aria-labelledby="alarms">
      <h2 id="alarms">Alarms</h2>
      {known.alarms.length === 0 && <p className="soft">No alarm stands.</p>}
      <ul className="plain-list">
        {known.alarms.map((alarm) => (
          <li key={alarm.key}>
            <OneAlarm alarm={alarm} onAsk={may ? setAsked : undefined} />
          </li>
        ))}
      </ul>
      <Decided check={check.name} decisions={known.decisions} may={may} />
      {known.expected && (
        <p className="small soft">
          {known.expected.entries.join(", ")} compare with the expected fabric, {known.expected.source}: {known.expected.because}{" "}
          ({known.expected.by}, <At at={known.expected.at} />)
        </p>
      )}
      {may && (
        <div className="row">
          <Button variant="default" onClick={() => setAsked({ kind: "gone", place: "" })}>
            Plan a change…
          </Button>
          <Button variant="default" onClick={() => setAsked({ kind: "adopt", place: "" })}>
            Adopt the fabric…
          </Button>
        </div>
      )}
      {asked && <DecideDialog check={check.name} asked={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

function OneAlarm({ alarm, onAsk }: { alarm: Alarm; onAsk?: ((asked: Asked) => void) | undefined }) {
  const place = alarm.code === "changed" ? alarm.subject : alarm.place;
  const isMuted = alarm.state.startsWith("muted");
  return (
    <article className="panel stack tight headline">
      <div className="row ends">
        <span className="row">
          {alarm.state === "open" ? <Tag state={alarm.severity} /> : <Tag state={alarm.state} tone="plain" />}
          {alarm.news && <Tag state={alarm.news} tone="bad" />}
        </span>
        {onAsk && (
          <span className="row">
            <Button size="xs" variant="default" onClick={() => onAsk({ kind: "repaired", place })}>
              Repaired…
            </Button>
            {!isMuted && (
              <Button size="xs" variant="default" onClick={() => onAsk({ kind: "mute", place })}>
                Mute…
              </Button>
            )}
          </span>
        )}
      </div>
      <p>{alarm.sentence}</p>
      <p className="small soft">
        Since {nightText(alarm.opened)}, last seen {nightText(alarm.seen)}
        {alarm.because && <>; {alarm.because}</>}
      </p>
    </article>
  );
}

function Decided({ check, decisions, may }: { check: string; decisions: CheckDecision[]; may: boolean }) {
  const withdraw = useWithdraw(check);
  const shown = decisions.filter(({ kind }) => kind !== "repaired");
  if (shown.length === 0) return null;
  return (
    <>
      <h3>Muted and planned</h3>
      <ErrorNotice error={withdraw.error} />
      <ul className="plain-list">
        {shown.map((one) => (
          <li key={one.number} className="row ends">
            <span>
              <strong>{one.what}</strong> {WORDS[one.kind]}
              {one.first && <> from {nightText(one.first)}</>}
              {one.until && <> until {nightText(one.until)}</>}: {one.because} <span className="soft">({one.by})</span>
            </span>
            {may && (
              <Button size="xs" variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate(one.number)}>
                Withdraw
              </Button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

const WORDS: Record<CheckDecision["kind"], string> = {
  repaired: "is repaired",
  mute: "is muted",
  gone: "is expected to be gone",
  moved: "is expected to be moved",
};
