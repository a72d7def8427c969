// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A table whose cells are fields of a form, and the button that removes one of its rows. */

import { Button } from "@mantine/core";
import type { ReactNode } from "react";

/** `children`: the rows, each with a last cell for its button. */
export function EditedTable({ label, columns, children }: { label: string; columns: string[]; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reached by the keyboard
    <section className="table-box" tabIndex={0} aria-label={label}>
      <table className="data goals">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
            <th scope="col">
              <span className="hidden-text">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

export function RemoveRow({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button size="compact-xs" variant="subtle" color="red" onClick={onClick}>
      Remove<span className="hidden-text"> {name}</span>
    </Button>
  );
}
