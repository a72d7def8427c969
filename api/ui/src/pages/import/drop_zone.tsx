// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A place where a file is dropped, with a button that opens the browser's own dialog. */

import "@/pages/import/import.css";
import { Button, FileButton } from "@mantine/core";
import { type DragEvent, type ReactNode, useState } from "react";

interface Props {
  /** Label of the button. */
  label: string;
  busy: boolean;
  onFile: (file: File) => void;
  children?: ReactNode;
}

export function DropZone({ label, busy, onFile, children }: Props) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file && !busy) onFile(file);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button in it does the same by keyboard
    <div
      className={over ? "drop-zone over" : "drop-zone"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {children}
      <FileButton onChange={(file) => file && onFile(file)}>
        {(props) => (
          <Button {...props} loading={busy}>
            {label}
          </Button>
        )}
      </FileButton>
    </div>
  );
}
