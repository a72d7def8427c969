// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A plan in words: what changes against the base, and beside it what is sent now where that differs. */

import { useFabricState } from "@/api/queries/fabrics";
import type { Plan } from "@/api/types";
import { profileName } from "@/format/profile_name";
import { count } from "@/format/quantity";

/** The service adds this to the name of a person who has begun a trial run. */
const THROUGH = ", through the ibcc service";

export function totalsText({ devices, mads, unknown }: Plan["totals"]): string {
  const more = unknown > 0 ? ` (the tables of ${count(unknown, "device")} are unknown)` : "";
  return `${count(mads, "MAD")} to ${count(devices, "device")}${more}`;
}

/** `doing`: what the reader is about to do, as the beginning of a sentence that says what it ends. */
export function SentNow({ fabric, plan, doing }: { fabric: string; plan: Plan; doing?: string }) {
  const experiment = useFabricState(fabric).data?.experiment;
  const { now } = plan;
  if (!now && !experiment) return null;
  return (
    <p className="soft">
      {experiment ? (
        <>
          A trial run{now?.current && ` of ${profileName(now.current)},`} is in force, of{" "}
          {experiment.owner?.replace(THROUGH, "") ?? "somebody"}
          {doing && `; ${doing} ends it`}.{" "}
        </>
      ) : (
        "Devices hold other values than the base now. "
      )}
      {now && <>Sent now: {totalsText(now.totals)}.</>}
    </p>
  );
}
