// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A calendar of nights. Each night is a link that names its verdict; the arrow keys lead from night to night. */

import { type KeyboardEvent, useMemo, useRef, useState } from "react";
import { Link } from "react-router";
import type { Night } from "@/api/types";
import { SIGNS, Tag } from "@/components/tag";
import { longNightText, monthText, today, WEEKDAYS } from "@/format/night";
import { type Month, monthsBetween, nightByKey } from "@/pages/checks/calendar";
import { lookOf, nightName, VERDICTS } from "@/pages/checks/verdict";

interface Props {
  check: string;
  /** The newest first. */
  nights: Night[];
  /** More nights than these are in the service. */
  hasMore: boolean;
  onMore: () => void;
}

/** Months shown at first. */
const AT_ONCE = 3;

export function NightCalendar({ check, nights, hasMore, onMore }: Props) {
  const byDate = useMemo(() => new Map(nights.map((night) => [night.date, night])), [nights]);
  const dates = useMemo(() => [...byDate.keys()].sort(), [byDate]);
  const [most, setMost] = useState(AT_ONCE);
  const [chosen, setChosen] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  const [first, last] = [dates[0], dates[dates.length - 1]];
  if (first === undefined || last === undefined) return null;
  const newest = [last, today()].sort()[1] ?? last;
  const months = monthsBetween(first, newest);
  const shown = months.slice(0, most);
  const visible = dates.filter((date) => shown.some(({ month }) => date.startsWith(month)));
  // One night is in the order of the Tab key; the arrow keys lead to the others.
  const inOrder = chosen !== null && visible.includes(chosen) ? chosen : visible[visible.length - 1];
  const move = (event: KeyboardEvent) => {
    const from = (event.target as HTMLElement).closest("a")?.dataset.night;
    const to = from === undefined ? null : nightByKey(event.key, from, visible);
    if (to === null) return;
    event.preventDefault();
    setChosen(to);
    box.current?.querySelector<HTMLElement>(`[data-night="${to}"]`)?.focus();
  };
  return (
    <div className="stack">
      <Legend nights={nights} />
      <section
        className="months"
        aria-label="Calendar of nights; the arrow keys lead from night to night"
        ref={box}
        onKeyDown={move}
      >
        {shown.map((month) => (
          <MonthTable key={month.month} check={check} month={month} byDate={byDate} inOrder={inOrder} onChoose={setChosen} />
        ))}
      </section>
      {(months.length > most || hasMore) && (
        <button
          type="button"
          className="plain-link small"
          onClick={() => {
            setMost(most + AT_ONCE);
            if (months.length <= most + AT_ONCE && hasMore) onMore();
          }}
        >
          Show earlier months
        </button>
      )}
    </div>
  );
}

interface MonthProps {
  check: string;
  month: Month;
  byDate: Map<string, Night>;
  inOrder: string | undefined;
  onChoose: (date: string) => void;
}

function MonthTable({ check, month, byDate, inOrder, onChoose }: MonthProps) {
  return (
    <table className="month">
      <caption>{monthText(month.month)}</caption>
      <thead>
        <tr>
          {WEEKDAYS.map(({ short, long }) => (
            <th key={long} scope="col">
              <abbr title={long}>{short}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {month.weeks.map((week, i) => (
          <tr key={i}>
            {week.map((date, j) => (
              <td key={j}>
                {date !== null && (
                  <Day check={check} date={date} night={byDate.get(date)} isFirst={date === inOrder} onChoose={onChoose} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface DayProps {
  check: string;
  date: string;
  night: Night | undefined;
  isFirst: boolean;
  onChoose: (date: string) => void;
}

function Day({ check, date, night, isFirst, onChoose }: DayProps) {
  const number = Number(date.slice(8));
  if (!night) {
    return (
      <span className="day" title={`${longNightText(date)}: no night`}>
        {number}
      </span>
    );
  }
  const { tone } = lookOf(night);
  const marks = [night.in_baseline ? "in-baseline" : "", night.state === "missed" ? "missed" : ""].filter(Boolean);
  return (
    <Link
      to={`/checks/${encodeURIComponent(check)}/nights/${date}`}
      className={["day", tone, ...marks].join(" ")}
      aria-label={nightName(night)}
      title={[nightName(night), night.headline].filter(Boolean).join("\n")}
      tabIndex={isFirst ? 0 : -1}
      data-night={date}
      onFocus={() => onChoose(date)}
    >
      {number}
      <span aria-hidden="true" className="sign">
        {night.state === "missed" ? "–" : SIGNS[tone]}
        {night.late && <span className="late" />}
      </span>
    </Link>
  );
}

/** Explains only the signs that are there. */
function Legend({ nights }: { nights: Night[] }) {
  const has = (wanted: (night: Night) => boolean) => nights.some(wanted);
  return (
    <ul className="legend small" aria-label="Signs">
      {Object.values(VERDICTS)
        .filter(({ word }) => has(({ verdict }) => verdict === word))
        .map(({ word, tone }) => (
          <li key={word}>
            <Tag state={word} tone={tone} />
          </li>
        ))}
      {has(({ state }) => state === "missed") && <li>– missed</li>}
      {has(({ late }) => late) && <li>L run late</li>}
      {has((night) => night.in_baseline) && (
        <li>
          <span className="day in-baseline sample" aria-hidden="true" /> part of the baseline
        </li>
      )}
    </ul>
  );
}
