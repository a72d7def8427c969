// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Shown where there is no check yet. */

import { Link } from "react-router";

export function NoCheck({ may }: { may: boolean }) {
  return may ? (
    <>
      No check yet. Begin with one that comes with ibcc: <Link to="/checks/new">Create the first check</Link>
    </>
  ) : (
    <>No check yet. An operator can create one.</>
  );
}
