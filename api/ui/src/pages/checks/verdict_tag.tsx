// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The verdict of a night as a word, with a color and a sign. */

import type { Night } from "@/api/types";
import { Tag } from "@/components/tag";
import { lookOf } from "@/pages/checks/verdict";

export function VerdictTag({ night }: { night: Pick<Night, "state" | "verdict" | "late"> }) {
  const { word, tone } = lookOf(night);
  return <Tag state={word} tone={tone} text={night.late ? `${word}, run late` : word} />;
}
