// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** That a fabric's routing carries less than half of what its links could, and what to do about it. */

import { useFabricRouting } from "@/api/queries/routing";
import type { Capacity } from "@/api/types";
import { Icon } from "@/components/icons";
import { Notice } from "@/components/notice";
import { Words } from "@/components/words";

export function LowCapacity({ capacity }: { capacity: Capacity | null | undefined }) {
  if (!capacity?.warning) return null;
  return (
    <Notice kind="warn">
      <p className="row">
        <Icon name="warning" />
        <strong>The routing carries little</strong>
      </p>
      <p>{capacity.warning.charAt(0).toUpperCase() + capacity.warning.slice(1)}. Ways out:</p>
      <ul>
        {capacity.ways_out.map((way) => (
          <li key={way}>
            <Words of={way} />
          </li>
        ))}
      </ul>
    </Notice>
  );
}

/** The same of a fabric of the service; nothing where it is not known. */
export function FabricCapacity({ fabric }: { fabric: string }) {
  const routing = useFabricRouting(fabric);
  return <LowCapacity capacity={routing.data?.advice.capacity} />;
}
