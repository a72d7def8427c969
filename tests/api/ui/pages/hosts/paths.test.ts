// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import { describe, expect, it } from "vitest";
import type { HostPaths } from "@/api/types";
import {
  cellTone,
  fleetText,
  linkState,
  oddLinks,
  pathVerdictText,
  pathVerdictTone,
  placeText,
  rateText,
  unmeasuredGpus,
} from "@/pages/hosts/paths";

type Link = HostPaths["links"][number];
type Cell = HostPaths["cells"][number];

function link(state: Link["state"], is_flapping = false): Link {
  return { link: state, name: state, state, others: [], cause: null, advice: "", is_flapping };
}

function cell(state: Cell["state"], bandwidth_gbps: number | null = 1): Cell {
  return {
    adapter: "a",
    endpoint: "e",
    bandwidth_gbps,
    latency_us: 1,
    baseline_bandwidth_gbps: null,
    baseline_latency_us: null,
    state,
  };
}

describe("the fleet", () => {
  it("is told in one line, without zeros", () => {
    const counts = { total: 7, normal: 5, slow: 1, unfit: 0, not_measured: 0, untested: 1 };
    expect(fleetText(counts)).toBe("7 hosts: 5 normal, 1 slow, 1 not tested");
    expect(fleetText({ total: 0, normal: 0, slow: 0, unfit: 0, not_measured: 0, untested: 0 })).toBe("0 hosts");
  });
  it("has hosts that were never tested", () => {
    expect([pathVerdictText(null), pathVerdictTone(null)]).toEqual(["not tested", "plain"]);
    expect([pathVerdictText("unfit"), pathVerdictTone("slow")]).toEqual(["busy or unfit", "bad"]);
  });
});

describe("links", () => {
  it("are shown if they are not normal, and if they flap although they are", () => {
    const all = [link("normal"), link("not-judged"), link("abnormal"), link("grey"), link("normal", true)];
    expect(
      oddLinks(all)
        .map(linkState)
        .map(({ text }) => text),
    ).toEqual(["slow", "grey", "flapping"]);
    expect(linkState(link("cannot-be-told-apart")).tone).toBe("warn");
    expect(linkState(link("not-judged")).text).toBe("not judged");
  });
});

describe("cells", () => {
  it("are slow, good, open or not measured", () => {
    const tones = [cell("abnormal"), cell("normal"), cell("uncertain"), cell(null), cell(null, null), undefined].map(cellTone);
    expect(tones).toEqual(["slow", "good", "open", "open", "none", "none"]);
  });
});

describe("GPUs", () => {
  it("are counted that were not measured", () => {
    const cells = [cell("normal"), { ...cell("normal"), endpoint: "g1" }];
    expect(unmeasuredGpus({ gpus: 2, endpoints: ["e", "g1", "g2"], cells })).toBe(1);
    expect(unmeasuredGpus({ gpus: 0, endpoints: ["e"], cells })).toBe(0);
  });
});

describe("the matrix", () => {
  it("says where adapters and memories are, and nothing of tests from before", () => {
    const parts = [
      { name: "node0", socket: 0, root_port: null, links: [] },
      { name: "mlx5_0", socket: 1, root_port: "0000:40:00.0", links: ["0000:40:00.0", "pcie:mlx5_0"] },
    ];
    expect(placeText(parts, "node0")).toBe("socket 0");
    expect(placeText(parts, "mlx5_0")).toBe("socket 1, root port 0000:40:00.0");
    expect(placeText([], "mlx5_0")).toBeNull();
  });
  it("shows rates far below a Gb/s too", () => {
    expect([196, 1.04, 0.0415, 0].map(rateText)).toEqual(["196.0", "1.0", "0.042", "0"]);
  });
});
