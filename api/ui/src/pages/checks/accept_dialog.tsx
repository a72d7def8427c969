// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Asks which nights become the baseline, and says what that means. */

import { Button, NumberInput, Radio, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import { useAcceptNights } from "@/api/queries/checks";
import type { Check, Night } from "@/api/types";
import { Dialog } from "@/components/dialog";
import { ErrorNotice, Notice } from "@/components/notice";
import { nightText } from "@/format/night";
import { count } from "@/format/quantity";
import { acceptedNights, type Choice, LEAST_NIGHTS, notGood, someOf } from "@/pages/checks/accepted_nights";

interface Props {
  check: Check;
  /** Those that are loaded; `onMore` loads more. */
  nights: Night[];
  hasMore: boolean;
  onMore: () => void;
  onClose: () => void;
}

export function AcceptDialog({ check, nights, hasMore, onMore, onClose }: Props) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: page after page, until all nights are there to choose from
  useEffect(() => {
    if (hasMore) onMore();
  }, [hasMore, nights.length]);
  const accept = useAcceptNights(check.name);
  const observed = acceptedNights(nights, { kind: "last", last: nights.length });
  const [kind, setKind] = useState<Choice["kind"]>("last");
  const [last, setLast] = useState<number | string>(Math.max(LEAST_NIGHTS, Math.min(check.learn_nights, observed.length)));
  const [first, setFirst] = useState(observed[0]?.date ?? "");
  const [until, setUntil] = useState(observed[observed.length - 1]?.date ?? "");
  const choice: Choice = kind === "last" ? { kind, last: Number(last) || 0 } : { kind, first, until };
  const chosen = acceptedNights(nights, choice);
  const bad = notGood(chosen);
  const submit = () =>
    accept.mutate(choice.kind === "last" ? { last: choice.last } : { first: first || undefined, until: until || undefined }, {
      onSuccess: onClose,
    });
  return (
    <Dialog opened onClose={onClose} title="Accept nights as the baseline">
      <div className="stack">
        <p>
          Choose nights in which all was well. From the next night on, metrics are compared with these nights, and alarms that
          stand now are over. The present baseline is kept for an undo.
        </p>
        <Radio.Group label="Nights" value={kind} onChange={(value) => setKind(value as Choice["kind"])}>
          <div className="stack tight">
            <Radio value="last" label="The last ones" />
            <Radio value="range" label="Those of a time" />
          </div>
        </Radio.Group>
        {kind === "last" ? (
          <NumberInput
            label="Number of nights"
            description={`At least ${LEAST_NIGHTS}; ${check.learn_nights} or more find smaller changes. Nights without a value do not count.`}
            min={LEAST_NIGHTS}
            max={Math.max(LEAST_NIGHTS, observed.length)}
            allowDecimal={false}
            value={last}
            onChange={setLast}
            data-autofocus
          />
        ) : (
          <div className="row bottom">
            <TextInput
              className="grow"
              type="date"
              label="From"
              value={first}
              onChange={(event) => setFirst(event.currentTarget.value)}
            />
            <TextInput
              className="grow"
              type="date"
              label="To"
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
            />
          </div>
        )}
        <p aria-live="polite">
          {chosen.length < LEAST_NIGHTS
            ? `${count(chosen.length, "night was", "nights were")} observed; a baseline needs at least ${LEAST_NIGHTS}.`
            : `${count(chosen.length, "night")}, ${nightText(chosen[0]?.date ?? "")} to ${nightText(chosen[chosen.length - 1]?.date ?? "")}.`}
        </p>
        {bad.length > 0 && (
          <Notice kind="warn">
            {count(bad.length, "of them has", "of them have")} a verdict other than pass:{" "}
            {someOf(bad.map(({ date }) => nightText(date)))}. What went wrong there counts as normal then.
          </Notice>
        )}
        <ErrorNotice error={accept.error} />
        <div className="row ends">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={accept.isPending} disabled={chosen.length < LEAST_NIGHTS} onClick={submit}>
            Accept {count(chosen.length, "night")}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
