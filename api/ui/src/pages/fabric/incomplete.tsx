// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** That parts of a fabric may be missing from its document, and why. */

import { Notice } from "@/components/notice";

export function Incomplete({ reason }: { reason: string | null | undefined }) {
  if (!reason) return null;
  return (
    <Notice kind="warn" title="Incomplete">
      <p>Parts of the fabric may be missing: {reason}.</p>
    </Notice>
  );
}
