// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only

import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// `npm run dev` beside a running `ibcc serve`.
const SERVICE = process.env.IBCC_SERVICE ?? "http://127.0.0.1:8480";

export default defineConfig({
  plugins: [react()],
  resolve: {
    alias: { "@": here("./src") },
    // The tests lie under tests/api/ui, outside of this folder: what they import is looked for here.
    dedupe: [
      "react",
      "react-dom",
      "react-router",
      "vitest",
      "msw",
      "yaml",
      "@mantine/core",
      "@tanstack/react-query",
      "@testing-library/react",
      "@testing-library/user-event",
    ],
  },
  build: {
    target: "es2023",
    // The service's content security policy allows no data: scripts or styles; small pictures are in the sources as SVG.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // ECharts is one lazy chunk of about 600 kB before compression.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Otherwise each set of pages that share a module has a file of its own, 30 for a page, and browsers ask for six at a time.
          groups: [
            { name: "widgets", test: /node_modules\/(@mantine|@floating-ui)\//, minShareCount: 2 },
            { name: "shared", test: /\/src\/(api|components|format)\/(?!yaml_editor)/, minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: {
    proxy: { "/api": SERVICE, "/health": SERVICE, "/ready": SERVICE },
    fs: { allow: [here("../..")] },
  },
  test: {
    // Tests that draw, *.test.tsx, ask for jsdom in their first lines, and each such file has a thread of its own. The others start
    // sooner without it, and share what they import.
    environment: "node",
    pool: "threads",
    // A form with all its fields is drawn in a second of CPU; a machine that runs the other tests beside needs a multiple.
    testTimeout: 60_000,
    projects: [
      { extends: true, test: { name: "logic", isolate: false, include: [here("../../tests/api/ui/**/*.test.ts")] } },
      { extends: true, test: { name: "drawn", include: [here("../../tests/api/ui/**/*.test.tsx")] } },
    ],
    setupFiles: [here("../../tests/api/ui/setup.ts")],
    server: { deps: { inline: [/@testing-library/] } },
  },
});
