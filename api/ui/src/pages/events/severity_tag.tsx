// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The severity of an event or of a fabric's state: a word with a sign. */

import type { Severity } from "@/api/types";
import { Tag, type Tone } from "@/components/tag";

export const SEVERITIES: Severity[] = ["info", "warning", "error"];

const TONES: Record<Severity, Tone> = { info: "plain", warning: "warn", error: "bad" };

export function SeverityTag({ severity, text }: { severity: Severity; text?: string }) {
  return <Tag state={severity} tone={TONES[severity]} text={text} />;
}
