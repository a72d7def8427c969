// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shows that nothing is known of a fabric at present, why, and of when the pictures and lists below are. */

import { useFabricState } from "@/api/queries/fabrics";
import type { Watch } from "@/api/types";
import { Notice } from "@/components/notice";
import { At } from "@/components/time";

export function NotCurrent({ fabric }: { fabric: string }) {
  const state = useFabricState(fabric).data;
  const watch = state?.watch;
  if (!watch || watch.current || watch.reach === "starting") return null;
  return (
    <Notice kind="unknown" title="Nothing is known of this fabric at present">
      <p className="breaking">{why(watch)}</p>
      <p>
        {watch.as_of ? (
          <>
            Devices and links are shown as of <At at={watch.as_of} />. It is unknown what has happened since.
          </>
        ) : (
          "It has never been seen: the wiring is shown as it was imported."
        )}
      </p>
    </Notice>
  );
}

function why({ reach, reason, sm_state: role }: Watch): string {
  if (reach === "unseen") return "The service has not looked at it yet.";
  if (reach === "unreachable") return `It is unreachable: ${reason ?? "the reason is unknown"}`;
  if (role === "standby") return "Another subnet manager is master, and its OpenSM is standby.";
  return "The service has not looked at it for 30 s.";
}
