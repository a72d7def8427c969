// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** Light, dark, or as the system says; stored on the viewer's machine. public/scheme.js reads the same key before the first paint. */

import { localStorageColorSchemeManager, type MantineColorSchemeManager } from "@mantine/core";

export const colorSchemeManager: MantineColorSchemeManager = localStorageColorSchemeManager({ key: "ibcc-color-scheme" });
