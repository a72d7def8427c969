// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A field that finds a node by its name, GUID or LID. */

import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { useFoundNodes } from "@/api/queries/topology";
import type { FoundNode } from "@/api/types";

interface Props {
  fabric: string;
  label: string;
  placeholder?: string;
  /** Only hosts: paths lead from host to host. */
  hosts?: boolean;
  className?: string;
  onPick: (node: FoundNode) => void;
}

const PAUSE_MS = 200;

export function NodeSearch({ fabric, label, placeholder, hosts, className, onPick }: Props) {
  const [typed, type] = useState("");
  const [q] = useDebouncedValue(typed, PAUSE_MS);
  const found = useFoundNodes(fabric, q);
  const items = (q.trim() === "" ? [] : (found.data?.items ?? [])).filter(({ kind }) => !hosts || kind === "host");
  const more = (found.data?.count ?? 0) - (found.data?.items.length ?? 0);
  return (
    <Select
      className={className}
      label={label}
      placeholder={placeholder ?? "Name, GUID or LID"}
      searchable
      clearable={false}
      value={null}
      searchValue={typed}
      onSearchChange={type}
      data={items.map((node) => ({ value: node.guid, label: optionText(node), disabled: found.isPlaceholderData }))}
      // The service has chosen already, and also by GUID and LID.
      filter={({ options }) => options}
      nothingFoundMessage={q.trim() === "" ? "Type a part of a name or GUID, or a LID." : "No node matches."}
      description={more > 0 && q !== "" ? `${more} more match; type more of it.` : undefined}
      onChange={(guid) => {
        const node = items.find((one) => one.guid === guid);
        if (node) onPick(node);
      }}
      maxDropdownHeight={320}
    />
  );
}

function optionText({ name, lid, guid }: FoundNode): string {
  const short = name.length > 60 ? `${name.slice(0, 30)}…${name.slice(-28)}` : name;
  return `${short} · ${lid === null ? guid : `LID ${lid}, ${guid}`}`;
}
