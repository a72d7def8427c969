# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a simulation has counted inside modelled hosts."""

from typing import Any

import ccsim
from tuner.fabric.built_fabric import BuiltFabric


def host_counters(built: BuiltFabric, result: ccsim.Result) -> dict[str, Any]:
    """Returns `modelled_hosts`, a row for each host with a model: `name`, and over the whole run the counters of
    ccsim.Result.modelled_hosts; and `host_series`, by host the values of each sample. Empty without such hosts."""
    columns, series = result.modelled_hosts, result.host_series
    if columns is None or series is None:
        return {}
    references = {(one.node, one.port): built.hosts.reference(one) for one in built.hosts.endports}
    names = [references[built.fabric.endports[endport]] for endport in columns["endport"].tolist()]
    rows = {name: values.tolist() for name, values in columns.items() if name != "endport"}
    return {
        "modelled_hosts": [{"name": name, **{key: values[i] for key, values in rows.items()}} for i, name in enumerate(names)],
        "host_series": {
            name: {key: [round(float(value), 4) for value in values[i]] for key, values in series.items()}
            for i, name in enumerate(names)
        },
    }
