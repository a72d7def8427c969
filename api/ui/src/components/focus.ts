// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Moves the focus when the element that had it is removed. */

/** For an item of a menu: the button that opened the menu, since the item disappears with the menu. */
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

/** The element that has the focus, or had it before it was removed. */
export function focusOrigin(): HTMLElement | null {
  return originOf(document.activeElement) ?? (latest?.isConnected ? latest : null);
}

/** After the browser has removed the element. Does nothing if the page has moved the focus meanwhile. */
export function focusNow(target: HTMLElement | null): void {
  window.setTimeout(() => {
    const active = document.activeElement;
    if (target?.isConnected && (active === null || active === document.body || active.closest("[role=dialog]"))) target.focus();
  });
}
