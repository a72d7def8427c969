# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The host loads of a workload, as the simulator takes them."""

import itertools

import ccsim
from tuner.documents.host_load import HostLoad
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric


def simulated_host_loads(built: BuiltFabric, workload: Workload) -> list[ccsim.HostLoad]:
    """Returns a load for each host that a load names. Raises BadInputError for a host without a model, more cores than it has, no
    memory bandwidth left, and loads that overlap."""
    models = built.document.modelled_hosts()
    first = len(built.document.switches)
    made: list[ccsim.HostLoad] = []
    placed: dict[tuple[int, str], list[HostLoad]] = {}
    for i, load in enumerate(workload.host_loads):
        for reference in load.hosts:
            try:
                endport = built.endport(reference)
                model = models.get(built.hosts.find(reference).node - first)
                _check(reference, model, load)
                others = placed.setdefault((endport, load.memory), [])
                _check_apart(reference, others, load)
            except BadInputError as error:
                raise workload.bad_host_load(i, error.sentence) from error
            others.append(load)
            made.append(
                ccsim.HostLoad(
                    endport=endport,
                    start_s=load.start_s,
                    stop_s=load.stop_s,
                    cores=load.cores or 0.0,
                    gbytes_per_s=load.gbytes_per_s or 0.0,
                    remote=load.memory == "far",
                )
            )
    return made


def _check(host: str, model: ccsim.HostModel | None, load: HostLoad) -> None:
    if model is None:
        raise BadInputError(f"'{host}' has no host_model; only hosts that have one in the fabric carry loads")
    if load.cores is not None and load.cores > model.cores:
        raise BadInputError(f"{load.cores:g} cores on '{host}', whose memory has {model.cores:g}; use at most that many")
    if load.gbytes_per_s is not None and load.gbytes_per_s >= model.memory_gbytes_per_s:
        raise BadInputError(
            f"{load.gbytes_per_s:g} GB/s on '{host}' leave nothing of its memory's {model.memory_gbytes_per_s:g} GB/s; use less"
        )


def _check_apart(host: str, others: list[HostLoad], load: HostLoad) -> None:
    for load_pair, other in itertools.product([load], others):
        starts, stops = max(load_pair.start_s, other.start_s), min(_stop(load_pair), _stop(other))
        if starts < stops:
            raise BadInputError(f"two loads of '{host}' overlap from {starts:g} s on; loads of one memory follow each other")


def _stop(load: HostLoad) -> float:
    return float("inf") if load.stop_s is None else load.stop_s
