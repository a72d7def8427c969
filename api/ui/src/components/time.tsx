// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A time relative to now, with the exact time in the viewer's zone on hover and for screen readers. */

import { Tooltip } from "@mantine/core";
import { useEffect, useState } from "react";
import { clock, dateTime, duration, fromNow, secondsUntil } from "@/format/time";

/** The present time, updated at that interval in milliseconds. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Ago({ at }: { at: string | null | undefined }) {
  useNow(20_000);
  if (!at) return <>–</>;
  return (
    <Tooltip label={dateTime(at)}>
      <time dateTime={at} className="nowrap">
        {fromNow(at)}
      </time>
    </Tooltip>
  );
}

export function At({ at }: { at: string | null | undefined }) {
  return at ? <time dateTime={at}>{dateTime(at)}</time> : <>–</>;
}

/** "until 14:03 CET, 9 min 20 s left". */
export function Until({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at}>
      until {clock(at)}, {duration(secondsUntil(at, now))} left
    </time>
  );
}
