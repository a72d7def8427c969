// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { expect, it } from "vitest";
import { csv } from "@/format/csv";

it("quotes what has commas, quotation marks and line ends", () =>
  expect(
    csv(
      ["a", "b"],
      [
        ["x,y", 'say "no"'],
        ["two\nlines", 3],
      ],
    ),
  ).toBe('a,b\r\n"x,y","say ""no"""\r\n"two\nlines",3\r\n'));

it("leaves what is missing empty", () => expect(csv(["a", "b", "c"], [[null, undefined, false]])).toBe("a,b,c\r\n,,false\r\n"));

it("keeps spreadsheets from computing with what somebody else has typed", () =>
  expect(csv(["name"], [["=HYPERLINK(1)"], ["@x"], [-5]])).toBe("name\r\n'=HYPERLINK(1)\r\n'@x\r\n-5\r\n"));
