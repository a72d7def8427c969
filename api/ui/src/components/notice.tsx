// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A message in the flow of the page; screen readers announce problems. */

import type { ReactNode } from "react";
import { Problem, sentence } from "@/api/problem";
import { Words } from "@/components/words";

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

interface ErrorProps {
  error: unknown;
  title?: string;
  /** Fields of the form that show their own errors. */
  fields?: string[];
}

/** Shows each error once: renders nothing while there is none, and where the fields show all there are. */
export function ErrorNotice({ error, title, fields = [] }: ErrorProps) {
  if (!error) return null;
  const all = error instanceof Problem ? (error.document.errors ?? []) : [];
  const errors = all.filter(({ field }) => !fields.some((one) => field === one || field.endsWith(`.${one}`)));
  if (all.length > 0 && errors.length === 0) return null;
  return (
    <Notice kind="bad" title={title}>
      {errors.length < 2 && (
        <p>
          <Words of={errors[0] ? `${errors[0].field} ${errors[0].detail}` : sentence(error)} />
        </p>
      )}
      {errors.length > 1 && (
        <ul>
          {errors.map(({ field, detail }) => (
            <li key={`${field} ${detail}`}>
              <code>{field}</code> <Words of={detail} />
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}
