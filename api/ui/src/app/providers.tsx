// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Providers around all pages. */

import "@mantine/core/styles.css";
import "@/app/theme.css";
import "@/components/components.css";
import { MantineProvider } from "@mantine/core";
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { colorSchemeManager } from "@/app/color_scheme";
import { theme } from "@/app/theme";

export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  return (
    // Variables and classes that Mantine would write into <style> elements come from style sheets: the security policy allows no others.
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      colorSchemeManager={colorSchemeManager}
      withCssVariables={false}
      withGlobalClasses={false}
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={client}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
