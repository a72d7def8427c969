// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A dialog that asks before an action that affects others, and shows the service's answer if it refuses. */

import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog } from "@/components/dialog";
import { ErrorNotice } from "@/components/notice";

interface Props {
  opened: boolean;
  title: string;
  /** Label of the button: a verb. */
  action: string;
  danger?: boolean;
  /** True for a dialog with a table. */
  wide?: boolean;
  busy?: boolean;
  /** Disables the button: there is nothing to do, as `children` explain. */
  pointless?: boolean;
  error?: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children?: ReactNode;
}

export function Confirm({ opened, title, action, danger, wide, busy, pointless, error, onConfirm, onClose, children }: Props) {
  return (
    <Dialog opened={opened} onClose={onClose} title={title} wide={wide}>
      <div className="stack">
        {children}
        <ErrorNotice error={error} />
        <div className="row ends">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color={danger ? "red" : undefined} loading={busy} disabled={pointless} onClick={onConfirm}>
            {action}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
