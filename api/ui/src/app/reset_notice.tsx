// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shown on every page for a week after somebody removed a fabric's second-person rule on the machine, without another admin. */

import type { Fabric } from "@/api/types";
import { Notice } from "@/components/notice";
import { At } from "@/components/time";

export function ResetNotice({ fabric }: { fabric: Fabric }) {
  const reset = fabric.second_person_reset;
  if (!reset) return null;
  return (
    <Notice kind="warn">
      {reset.by} switched off the second person of {fabric.name} on the service’s machine, <At at={reset.at} />.
    </Notice>
  );
}
