// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** A page's title, breadcrumbs and actions. The title is also the document's, and takes the focus after a change of page. */

import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "react-router";

interface Props {
  title: string;
  /** A text that is not known yet is undefined: the crumb then says that the page waits for an answer. */
  crumbs?: { to: string; text: string | undefined }[];
  children?: ReactNode;
  beside?: ReactNode;
}

export function PageHead({ title, crumbs = [], beside, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useLocation().key === "default";
  useEffect(() => {
    document.title = `${title} – ibcc`;
  }, [title]);
  useEffect(() => {
    // After a click on a link the focused element is gone, and screen readers would not announce the new page.
    if (!isFirst && document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, [isFirst]);
  return (
    <div className="page-head">
      <div>
        {crumbs.length > 0 && (
          <nav className="crumbs" aria-label="Breadcrumbs">
            {crumbs.map(({ to, text }) => (
              <span key={to}>
                <Link to={to} aria-busy={text === undefined || undefined}>
                  {text ?? "…"}
                </Link>
                {" / "}
              </span>
            ))}
          </nav>
        )}
        <div className="row">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {beside}
        </div>
      </div>
      <div className="row">{children}</div>
    </div>
  );
}
