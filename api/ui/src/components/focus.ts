// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Where the focus goes when what had it is taken away. */

/** Of an item of a menu, the button that opened the menu, as the item goes with it. */
function originOf(active: EventTarget | null): HTMLElement | null {
  if (!(active instanceof HTMLElement) || active === document.body) return null;
  const menu = active.closest("[role=menu]");
  return (menu && document.getElementById(menu.getAttribute("aria-labelledby") ?? "")) ?? active;
}

// Without motion, a menu is gone before the dialog that one of its items opens can ask who had the focus.
let latest: HTMLElement | null = null;
document.addEventListener("focusin", (event) => {
  latest = originOf(event.target);
});

/** What has the focus now, or had it before it was taken away. */
export function focusOrigin(): HTMLElement | null {
  return originOf(document.activeElement) ?? (latest?.isConnected ? latest : null);
}

/** Once the browser has removed what is going. Nothing, if the page has taken the focus elsewhere meanwhile. */
export function focusNow(target: HTMLElement | null): void {
  window.setTimeout(() => {
    const active = document.activeElement;
    if (target?.isConnected && (active === null || active === document.body || active.closest("[role=dialog]"))) target.focus();
  });
}
