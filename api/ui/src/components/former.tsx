// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A part of a page whose answer is a former one: dimmed, and nothing in it can be used until the present answer is there. */

import type { ReactNode } from "react";

interface Props {
  /** True while the answer is a former one. */
  when: boolean;
  children: ReactNode;
}

export function Former({ when, children }: Props) {
  return (
    <div className={when ? "kept former" : "kept"} inert={when} aria-busy={when || undefined}>
      {children}
    </div>
  );
}
