// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Makes the browser ask before a page with unsaved work is closed. */

import { useEffect } from "react";

export function useLeaveGuard(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsaved]);
}
