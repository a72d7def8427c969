// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The viewer's choice of light or dark, or else the system's.
(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("ibcc-color-scheme");
  } catch {
    // Storage may be switched off: then it is the system's choice.
  }
  const dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.setAttribute("data-mantine-color-scheme", dark ? "dark" : "light");
})();
