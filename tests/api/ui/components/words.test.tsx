// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// @vitest-environment jsdom
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { Words } from "@/components/words";

it.each([
  [
    "say it by `--congestion-control` of `ibcc fabric import`",
    "say it by <code>--congestion-control</code> of <code>ibcc fabric import</code>",
  ],
  ["`a` and a` b", "<code>a</code> and a` b"],
  ["none", "none"],
  ["one ` alone", "one ` alone"],
])("%s", (text, shown) => expect(render(<Words of={text} />).container.innerHTML).toBe(shown));
