// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** What jsdom lacks and Mantine asks for. */

import { afterEach } from "vitest";

if (typeof window !== "undefined") {
  window.matchMedia ??= (query: string) =>
    ({
      matches: false,
      media: query,
      onchange: null,
      addEventListener: () => {},
      removeEventListener: () => {},
      addListener: () => {},
      removeListener: () => {},
      dispatchEvent: () => false,
    }) as MediaQueryList;

  globalThis.ResizeObserver ??= class {
    observe() {}
    unobserve() {}
    disconnect() {}
  };

  // Only where something is drawn: it brings React along.
  const { cleanup } = await import("@testing-library/react");
  afterEach(cleanup);
}
