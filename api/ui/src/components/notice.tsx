// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A message in the flow of the page; screen readers announce problems. */

import type { ReactNode } from "react";
import { Problem, sentence } from "@/api/problem";

interface Props {
  kind?: "info" | "good" | "warn" | "bad" | "unknown";
  title?: string;
  children?: ReactNode;
}

export function Notice({ kind = "info", title, children }: Props) {
  return (
    <div className={`notice ${kind}`} role={kind === "bad" ? "alert" : "status"}>
      {title && <strong>{title}</strong>}
      {children}
    </div>
  );
}

/** Renders nothing while there is no error. */
export function ErrorNotice({ error, title }: { error: unknown; title?: string }) {
  if (!error) return null;
  const errors = error instanceof Problem ? (error.document.errors ?? []) : [];
  return (
    <Notice kind="bad" title={title}>
      <p>{sentence(error)}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ field, detail }) => (
            <li key={`${field} ${detail}`}>
              <code>{field}</code>: {detail}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
