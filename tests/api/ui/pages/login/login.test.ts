// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { safeBack } from "@/pages/login/login";

it.each([
  ["/campaigns/1?tab=trials", "/campaigns/1?tab=trials"],
  ["//evil.example/x", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  [null, "/"],
])("after the login from %s to %s", (back, to) => expect(safeBack(back)).toBe(to));
