# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The line of each command in `ibcc --help` and `ibcc --server URL --help`, so that nothing is imported to print them.

It is the first paragraph of the command's own help, and a test compares the two. A command that is not here, such as one of
another package, is imported and asked; so must be one that is hidden, deprecated or in a panel of its own.
"""

from collections.abc import Mapping

SHORT_TEXTS: Mapping[str, str] = {
    # ibcc
    "api.cli.backup:app": "Write a backup of the service into one file, while it runs.",
    "tuner.cli.campaign:app": "List, show, pause, finish, clone and challenge stored campaigns.",
    "tuner.cli.check:app": "Run nightly checks of a fabric, and accept what is normal; see what has changed since.",
    "tuner.cli.emulate:app": (
        "Emulate a fabric for unmodified programs: OpenSM, ibnetdiscover, smpquery, perfquery, ibccquery, …."
    ),
    "tuner.cli.emulator:app": "Control a fabric that `ibcc emulate` or `ccsimd` has started.",
    "experiments.cli:app": "Reproduce published results, and compare.",
    "tuner.cli.fabric:app": "Import, export, generate and show fabrics; watch the one that OpenSM runs.",
    "tuner.cli.hosts:app": (
        "List, check and place the hosts of an inventory; find adapters that do not throttle, and slow links inside hosts."
    ),
    "tuner.cli.profile:app": "Suggest, show, check, encode and compare profiles; apply them to the fabric that OpenSM runs.",
    "api.cli.restore:app": "Restore a service from a file of `ibcc backup`.",
    "tuner.cli.run:app": "Run a workload, on real hosts by default, and show what every flow gets.",
    "api.cli.serve:app": "Serve the web interface and the REST API.",
    "tuner.cli.simulate:app": "Run a workload under a profile and show what every flow gets.",
    "tuner.cli.tune:app": "Search for the profile that cures a workload, confirm it with fresh seeds, and recommend it.",
    "tuner.cli.twin:app": (
        "Say all of a fabric in one report: what was read, how OpenSM routes it, what congests, and what cures that."
    ),
    "api.cli.user:app": "Manage users in the service's database: add them, set passwords and roles.",
    # ibcc --server URL
    "api.cli.server.campaign:app": "Run the campaigns of a service.",
    "api.cli.server.check:app": "Run the nightly checks of a service, and accept what is normal.",
    "api.cli.server.fabric:app": "Import and show the fabrics of a service, and apply profiles to them.",
    "api.cli.server.hosts:app": "Check the hosts of a service's fabric, and manage its inventory.",
    "api.cli.server.job:app": "Show, await and cancel the jobs of a service.",
    "api.cli.server.notify:app": "Show and test the addresses that a service notifies.",
    "api.cli.server.profile:app": "Manage the profiles of a service; plan, apply, verify and promote them.",
    "api.cli.server.promotion:app": "Show, approve, reject and repeat promotions of profiles to production.",
    "api.cli.server.tune:app": (
        "Search in the service for the profile that best cures a workload, confirm it with fresh seeds, and recommend it."
    ),
    "api.cli.server.workload:app": "Manage the workloads of a service.",
}
"""Line of each command, by the entry point's object, as `pyproject.toml` has it."""
