// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A term with a button that explains it. Works with the keyboard and by touch, where a tooltip does not. */

import { ActionIcon, Popover } from "@mantine/core";
import type { ReactNode } from "react";

export function Explained({ term, children }: { term: string; children: ReactNode }) {
  return (
    <span className="explained">
      {term}
      <Popover width={300} withArrow shadow="md" position="bottom">
        <Popover.Target>
          <ActionIcon variant="subtle" color="gray" size="xs" radius="xl" aria-label={`What is ${term.toLowerCase()}?`}>
            ?
          </ActionIcon>
        </Popover.Target>
        <Popover.Dropdown>
          <p className="small">{children}</p>
        </Popover.Dropdown>
      </Popover>
    </span>
  );
}
