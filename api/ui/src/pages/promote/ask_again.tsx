// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Asks again for a promotion that is outdated, with the plan as it is now. */

import { Button } from "@mantine/core";
import { useRepeat } from "@/api/queries/promotions";
import type { Promotion } from "@/api/types";
import { ErrorNotice } from "@/components/notice";

export function AskAgain({ promotion, onDone }: { promotion: Promotion; onDone?: () => void }) {
  const repeat = useRepeat();
  if (!promotion.actions.includes("repeat")) return null;
  return (
    <>
      <Button size="xs" loading={repeat.isPending} onClick={() => repeat.mutate(promotion.id, { onSuccess: onDone })}>
        Ask again
      </Button>
      <ErrorNotice error={repeat.error} title="Not asked" />
    </>
  );
}
