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
  const { cleanup, configure } = await import("@testing-library/react");
  // As long as machines that run other tests beside may take to draw what is looked for.
  configure({ asyncUtilTimeout: 30_000 });
  afterEach(cleanup);
}
