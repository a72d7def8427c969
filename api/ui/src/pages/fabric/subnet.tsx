// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Which of several subnets of a fabric is meant; nothing on a fabric of one. */

import { Select } from "@mantine/core";
import { useFabricRouting } from "@/api/queries/routing";
import { count } from "@/format/quantity";

interface Props {
  fabric: string;
  /** Why one is to be chosen: "a campaign is on one". */
  reason: string;
  subnet: number | null;
  onSubnet: (subnet: number | null) => void;
}

export function Subnet({ fabric, reason, subnet, onSubnet }: Props) {
  const subnets = useFabricRouting(fabric).data?.subnets ?? [];
  if (subnets.length < 2 && subnet === null) return null;
  return (
    <Select
      className="grow"
      label="Subnet"
      description={`Planes and rails are several subnets, and no link joins them; ${reason}.`}
      clearable
      data={subnets.map((one) => ({
        value: String(one.subnet),
        label: `${one.subnet}: ${count(one.switches, "switch", "switches")}, ${count(one.hosts, "adapter")}, the first is ${one.first}`,
      }))}
      value={subnet === null ? null : String(subnet)}
      onChange={(value) => onSubnet(value === null ? null : Number(value))}
    />
  );
}
