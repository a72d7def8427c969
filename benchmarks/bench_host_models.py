# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What host models cost: events and CPU time of one run of bench_sim.py, beside the same where all hosts have a model, where all
carry a load too, and where all run hostCC. Run it as `python -m benchmarks.bench_host_models [HOSTS]`."""

import sys

import ccsim
from benchmarks.bench_sim import SIZES, Size, flows_of

KINDS = ("without models", "models", "models and loads", "models, loads and hostCC")


def host_model(*, hostcc: bool) -> ccsim.HostModel:
    """Returns a host for links of 16 Gb/s, whose memory a few cores saturate."""
    model = ccsim.HostModel()
    model.pcie_gbps, model.memory_gbytes_per_s = 16.0, 10.0
    if hostcc:
        settings = ccsim.HostCcSettings()
        settings.enabled, settings.target_gbps = True, 10.0
        model.hostcc = settings
    return model


def run(size: Size, kind: str) -> ccsim.Result:
    fabric, loads = size.build().fabric, []
    for endport, (node, _) in enumerate(fabric.endports):
        if kind != KINDS[0]:
            fabric.set_host_model(node, host_model(hostcc="hostCC" in kind))
        if "loads" in kind:
            loads.append(ccsim.HostLoad(endport=endport, cores=4.0 + endport % 20))
    flows = flows_of("uniform", len(fabric.endports))
    duration_s = size.uniform_s
    return ccsim.Simulation(fabric, flows, duration_s=duration_s, sample_interval_s=duration_s, host_loads=loads).run()


def main() -> None:
    hosts = int(sys.argv[1]) if len(sys.argv) > 1 else 648
    size = next(size for size in SIZES if size.nodes == hosts)
    print(f"{hosts} hosts, uniform load, {size.uniform_s * 1e3:g} ms")
    for kind in KINDS:
        result = run(size, kind)
        hops = result.packet_hops
        print(
            f"{kind:26} {hops / 1e6:5.1f} M packet-hops {result.events / 1e6:5.1f} M events {result.cpu_s:6.2f} s of CPU", end=" "
        )
        print(f"{1e9 * result.cpu_s / hops:6.0f} ns a hop", flush=True)


if __name__ == "__main__":
    main()
