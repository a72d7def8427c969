// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** On every page for a week: somebody switched a fabric's second person off on the machine, and no other admin agreed to it. */

import type { Fabric } from "@/api/types";
import { Notice } from "@/components/notice";
import { At } from "@/components/time";

export function ResetNotice({ fabric }: { fabric: Fabric }) {
  const reset = fabric.second_person_reset;
  if (!reset) return null;
  return (
    <Notice kind="warn">
      {reset.by} switched the second person of {fabric.name} off on the service’s machine, <At at={reset.at} />.
    </Notice>
  );
}
