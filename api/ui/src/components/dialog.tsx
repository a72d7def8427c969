// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A dialog over the page. However it is closed, the focus returns to where it was before. */

import { Modal } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import { focusNow, focusOrigin } from "@/components/focus";

interface Props {
  opened: boolean;
  title: string;
  /** True for a dialog with a table. */
  wide?: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ opened, title, wide, onClose, children }: Props) {
  // Before the dialog takes the focus.
  useLayoutEffect(() => {
    if (!opened) return;
    const origin = focusOrigin();
    return () => focusNow(origin);
  }, [opened]);
  return (
    // It gives the focus back itself: Mantine's does so only for dialogs that stay mounted, and to menu items that are gone by then.
    <Modal opened={opened} onClose={onClose} title={title} size={wide ? "xl" : undefined} returnFocus={false}>
      {children}
    </Modal>
  );
}
