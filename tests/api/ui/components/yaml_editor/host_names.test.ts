// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { CompletionContext } from "@codemirror/autocomplete";
import { EditorState } from "@codemirror/state";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { complete, inYaml, type Lookup } from "@/components/yaml_editor/completion";
import { references } from "@/components/yaml_editor/host_names";

const NAMES = [
  "H1",
  "Zürich-B12 n008 mlx5_0",
  "lab<b>4</b> n000",
  "a, b",
  "x: y",
  "guid:0x0000000000000020",
  "007",
  "null",
  "#1",
  "'q'",
  "- z",
];

describe("names of hosts", () => {
  it.each(NAMES)("are written so that they are read as they are: %s", (name) => {
    expect(parse(inYaml(name))).toBe(name);
    expect(parse(`{src: ${inYaml(name)}, dst: [${inYaml(name)}]}`)).toEqual({ src: name, dst: [name] });
  });

  it("are in quotes only where they must be", () =>
    expect(NAMES.filter((name) => inYaml(name) === name)).toEqual(["H1", "Zürich-B12 n008 mlx5_0", "lab<b>4</b> n000"]));

  it("are GUIDs where several hosts have one name, whatever ports they have", () => {
    const devices = [
      { guid: "0x01", name: "localhost" },
      { guid: "0x02", name: "db" },
      { guid: "0x02", name: "db" },
      { guid: "0x03", name: "localhost" },
    ];
    expect(references(devices)).toEqual([
      { name: "guid:0x01", detail: "localhost" },
      { name: "db" },
      { name: "guid:0x03", detail: "localhost" },
    ]);
  });

  it("are looked up by what is written, with or without a quote", async () => {
    const asked: string[] = [];
    const lookup: Lookup = async (part) => {
      asked.push(part);
      return [{ name: "a, b" }];
    };
    const offer = async (text: string) => {
      const position = text.indexOf("|");
      const state = EditorState.create({ doc: text.replace("|", "") });
      return complete(new CompletionContext(state, position, true), undefined, { "flows.*.src": lookup });
    };
    const plain = await offer("flows:\n- {name: V, src: Zü|}\n");
    expect(plain).toMatchObject({ from: 24, to: 26, filter: false, options: [{ label: "a, b", apply: '"a, b"' }] });
    const quoted = await offer('flows:\n- src: "Zü|"\n');
    expect(quoted).toMatchObject({ from: 14, to: 18 });
    await offer("flows:\n- src: |\n");
    expect(asked).toEqual(["Zü", "Zü", ""]);
  });
});
