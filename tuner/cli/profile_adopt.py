# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc profile adopt`: a profile of what devices were found with."""

from typing import Annotated

import typer

from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.plugin_connection import SocketOption, connected
from tuner.documents.profile_warnings import profile_warnings
from tuner.opensm.adopted_profile import adopt as adopt_fabric
from tuner.opensm.adopted_profile import not_said

_MOST_NAMED = 50


def adopt(
    name: Annotated[str, typer.Option(help="Name of the profile.")] = "adopted",
    settings: common.SettingsOption = None,
    socket: SocketOption = None,
    output: Annotated[
        Output, typer.Option("--output", help="Print the profile, or with json also who is not said.")
    ] = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Make a profile of what devices held before ibcc set anything (revision 0, as found).

    What most devices hold is in its sections, and each other group of devices has overrides. Applied to a fabric as it was
    found, it sends nothing to any device that a profile can say; standard error lists the others with the attribute, what they
    hold, and what the profile says. The exit code is 1 if there are such. Nothing is set: devices are asked what they hold of
    NVIDIA's attributes, and the profile has the section `nvidia` if one of them marks or reacts by these.

    Examples:

    - `ibcc profile adopt -o site.yaml`,

    - `ibcc profile adopt --set profile.ca.ccti_timer=200 -o site-slower.yaml`.
    """
    changes = common.parse_settings(settings or [])
    common.require_known_prefixes(changes, "profile")
    with connected(socket) as client:
        adopted = adopt_fabric(client, name)
    found, plan = adopted.profile, adopted.plan
    others = not_said(plan)
    profile = found.with_settings(common.settings_under(changes, "profile")) if changes else found
    match output:
        case Output.JSON:
            common.write_json(
                {
                    "profile": profile.to_yaml(),
                    "not_said": [vars(one) for one in others],
                    "devices_not_said": plan["devices"],
                    "unread": adopted.unread,
                },
                output_file,
            )
        case Output.CSV:
            header = ["guid", "port", "name", "attribute", "block", "field", "index", "held", "said"]
            rows = [
                [
                    device.guid,
                    device.port,
                    device.name,
                    *(each[key] for key in ("attribute", "block", "field", "index", "held", "wanted")),
                ]
                for device in others
                for each in device.differences
            ]
            common.write_csv(header, rows, output_file)
        case Output.TABLE:
            common.write_text(profile.to_yaml(), output_file)
    if adopted.unread:
        common.note(adopted.unread)
    for sentence in profile_warnings(profile):
        common.note(f"{name}: {sentence}")
    for one in others[:_MOST_NAMED]:
        common.note(f"no profile says all that {one.sentence}")
    if plan["devices"]:
        common.note(f"{plan['devices']:,} {'device' if plan['devices'] == 1 else 'devices'} would be sent {plan['sets']:,} Sets")
        raise typer.Exit(1)
