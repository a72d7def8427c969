// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/** The entry point of the interface. */

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { makeQueryClient } from "@/api/query_client";
import { Providers } from "@/app/providers";
import { routes } from "@/app/routes";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");

createRoot(root).render(
  <StrictMode>
    <Providers client={makeQueryClient()}>
      <RouterProvider router={createBrowserRouter(routes)} />
    </Providers>
  </StrictMode>,
);
