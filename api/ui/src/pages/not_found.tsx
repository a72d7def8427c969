// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** An address that no page has. */

import { Link, useLocation } from "react-router";
import { PageHead } from "@/components/page_head";

export default function NotFound() {
  const { pathname } = useLocation();
  return (
    <div className="stack">
      <PageHead title="No such page" />
      <p>
        There is no page at <code>{pathname}</code>. <Link to="/">To the overview</Link>
      </p>
    </div>
  );
}
