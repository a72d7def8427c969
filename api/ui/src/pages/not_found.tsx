// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shown for an address that no page has. */

import { Link, useLocation } from "react-router";
import { PageHead } from "@/components/page_head";

export default function NotFound() {
  const { pathname } = useLocation();
  return (
    <div className="stack">
      <PageHead title="Page not found" />
      <p>
        There is no page at <code>{pathname}</code>. <Link to="/">Go to the overview</Link>
      </p>
    </div>
  );
}
