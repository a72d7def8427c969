// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What the viewer may do with a check beside running it. */

import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { Link, useNavigate } from "react-router";
import { useDeleteCheck } from "@/api/queries/checks";
import type { Check } from "@/api/types";
import { Confirm } from "@/components/confirm";

export function CheckMenu({ check }: { check: Check }) {
  const deletion = useDeleteCheck(check);
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  const offers = (action: Check["actions"][number]) => check.actions.includes(action);
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default">More</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item component={Link} to={`/checks/${encodeURIComponent(check.name)}/edit`}>
            {offers("change") ? "Edit the document" : "Show the document"}
          </Menu.Item>
          {offers("delete") && <Menu.Item onClick={() => setAsking(true)}>Delete</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={asking}
        title={`Delete ${check.name}?`}
        action="Delete"
        danger
        busy={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate(undefined, { onSuccess: () => navigate("/checks") })}
        onClose={() => setAsking(false)}
      >
        <p>Its nights, its baseline and its answers are deleted too. Answers that stand are not undone.</p>
      </Confirm>
    </>
  );
}
