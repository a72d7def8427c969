// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A sentence of the service, which has commands and files between backquotes, as the terminal shows them. */

import { Fragment } from "react";

export function Words({ of }: { of: string }) {
  const parts = of.split("`");
  // A backquote without a second one is a letter like others.
  if (parts.length % 2 === 0) parts.push([parts.pop(), parts.pop()].reverse().join("`"));
  return parts.map((part, i) => {
    const key = `${i} ${part}`;
    return i % 2 === 1 ? <code key={key}>{part}</code> : <Fragment key={key}>{part}</Fragment>;
  });
}
