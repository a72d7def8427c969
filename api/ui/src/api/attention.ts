// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Whether somebody sits before the page: pages repeat requests by themselves, which must not keep a session alive. */

const ATTENDED_MS = 60_000;
const SIGNS = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart", "focus"] as const;

let last = Date.now(); // somebody has opened the page

for (const sign of SIGNS) {
  globalThis.addEventListener?.(
    sign,
    () => {
      last = Date.now();
    },
    { capture: true, passive: true },
  );
}

/** True if nobody has touched the page for a minute. */
export function isUnattended(): boolean {
  return Date.now() - last > ATTENDED_MS;
}
