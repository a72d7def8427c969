# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL tune`: runs a campaign in a service, watches it, and fetches the report."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from api.cli.server.connect import FabricOption, connect, the_fabric
from api.cli.server.follow import follow, write_result
from api.cli.server.plan_text import plan_of_service
from api.client import Client
from api.documents.campaign_plans import CampaignPlan
from tuner.cli import common
from tuner.cli.common import Output
from tuner.cli.option_classes import with_option_classes
from tuner.cli.tune_options import TuneOptions, require_table_or_json
from tuner.document_base.model import unknown_name
from tuner.document_base.yaml_core import Document, read_document
from tuner.documents import catalogue
from tuner.errors import BadInputError
from tuner.report.write import require_folder

app = typer.Typer()


@app.command()
@with_option_classes
def tune(
    campaign: Annotated[str, typer.Argument(help="Campaign document, by path here or by the name of a template of the service.")],
    shared: TuneOptions,
    fabric: FabricOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the campaign in the service; by default the document's.", show_default=False)
    ] = None,
    on_simulator: Annotated[
        bool, typer.Option("--on-simulator", help="Measure in the simulator, also if the fabric is emulated or real.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print where the workloads run and what the campaign costs, and make nothing.")
    ] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it has ended, and print the result.")] = True,
    stop_on_interrupt: Annotated[
        bool,
        typer.Option("--stop-on-interrupt", help="Ctrl-C stops the campaign too; by default it keeps running in the service."),
    ] = False,
    settings: common.SettingsOption = None,
    output: common.OutputOption = Output.TABLE,
    output_file: common.OutputFileOption = None,
) -> None:
    """Search in the service for the profile that best cures a workload, confirm it with fresh seeds, and recommend it.

    Profiles and workloads that a document names are those of the service: `ibcc --server URL profile put FILE` and
    `ibcc --server URL workload put FILE` store your own. The workloads run on the fabric given by `--fabric`, whatever
    fabric they were written for.

    Exit codes are those of `ibcc tune`. Ctrl-C stops watching only: the campaign keeps running, and the command to watch it again
    is printed.

    Examples:

    - `ibcc --server URL tune scenario-1 --fabric two-switch --report out`,

    - `ibcc --server URL tune my-campaign.yaml --trials 20 --set campaign.sampler=random --stop-on-interrupt`.
    """
    from tuner.documents.campaign import settled  # slow to import

    require_table_or_json(output)
    changes = common.parse_settings(settings or [])
    if any(key.startswith("profile.") for key in changes):
        raise BadInputError(
            "--set profile.… changes a local profile, but a service uses its own; store the changed profile with "
            "`ibcc --server URL profile put FILE`, and name it with --set campaign.base=NAME"
        )
    common.require_known_prefixes(changes, "model", "campaign")
    if shared.report is not None:
        require_folder(shared.report)  # hours before it is written
    with connect() as service:
        source = _source(service, campaign)
        changed = settled(source.document, shared.in_document(changes), seed=shared.seed)
        ask = service.plan_campaign if dry_run else service.create_campaign
        made = ask(
            name or str(source.spec["name"]),
            the_fabric(service, fabric),
            source.template,
            changed | {key: value for key, value in changes.items() if key.startswith("model.")},
            spec=None if source.template else source.spec,
            on_simulator=on_simulator,
        )
        if isinstance(made, CampaignPlan):
            if output is Output.JSON:
                common.write_json(made.model_dump(), output_file)
            else:
                common.write_rich(plan_of_service(made), output_file)
            return
        common.note(f"campaign '{made.name}' is {made.id} on {service.connection.address}")
        if not wait:
            service.start_campaign(made.id)
            print(made.id)
            return
        ended = follow(service, made, start=True, stop_on_interrupt=stop_on_interrupt)
        write_result(service, ended, shared.report, output, output_file)


@dataclass(frozen=True)
class _Source:
    """A document, and which of the service's templates it is."""

    document: Document
    template: str | None

    @property
    def spec(self) -> dict[str, Any]:
        """Raises BadInputError."""
        if not isinstance(self.document.value, dict):
            raise BadInputError(
                "this is not a campaign document, which begins with ibcc_campaign: 1", source=self.document.source
            )
        return dict(self.document.value)


def _source(service: Client, reference: str) -> _Source:
    if catalogue.is_path(reference):
        return _Source(read_document(catalogue.find("campaign", reference)), None)
    templates = {one.name: one for one in service.campaign_templates()}
    if reference in templates:
        return _Source(Document(source=f"template {reference}", value=templates[reference].spec, lines={}), reference)
    test_beds = catalogue.names("campaign")  # a service has them, and offers only goals
    if reference not in test_beds:
        raise BadInputError(unknown_name("campaign", reference, sorted({*templates, *test_beds})))
    return _Source(read_document(catalogue.find("campaign", reference)), reference)
