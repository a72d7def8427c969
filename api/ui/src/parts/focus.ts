// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Where the focus goes when what had it is taken away. */

/** What has the focus now; of an item of a menu, the button that opened the menu, as the item goes with it. */
export function focusOrigin(): HTMLElement | null {
  const active = document.activeElement;
  const menu = active?.closest("[role=menu]");
  const button = menu ? document.getElementById(menu.getAttribute("aria-labelledby") ?? "") : null;
  const origin = button ?? active;
  return origin instanceof HTMLElement && origin !== document.body ? origin : null;
}

/** Once the browser has removed what is going. Nothing, if the page has taken the focus elsewhere meanwhile. */
export function focusNow(target: HTMLElement | null): void {
  window.setTimeout(() => {
    const active = document.activeElement;
    if (target?.isConnected && (active === null || active === document.body || active.closest("[role=dialog]"))) target.focus();
  });
}
