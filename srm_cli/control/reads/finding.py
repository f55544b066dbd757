"""`srm-control search` and `topology`."""

from typing import Any

import click

from srm_cli.control.output import OUTPUT, Row, columns, show_document, show_rows
from srm_cli.service.access import ServiceAccess

_KINDS = ("flow", "topic", "group", "cluster", "property")


def _place(hit: Row) -> str | None:
    is_named = hit["kind"] == "flow" or hit["source"] is None
    return None if is_named else f"{hit['source']}->{hit['target']}"


_HITS = (*columns("KIND=kind", "NAME=label"), ("FLOW", _place), *columns("TEXT=text"))
_EDGES = columns(
    "SOURCE=source",
    "TARGET=target",
    "STATUS=status",
    "BYTES/S=bytes_per_second",
    "LAG=lag_offsets",
    "TOPICS=topics",
    "REASON=reason",
)


@click.command("search")
@click.argument("text")
@click.option("--kind", type=click.Choice(_KINDS), help="Only hits of this kind.")
@click.option("--limit", type=click.IntRange(1, 50), metavar="N", help="Most hits of each kind.  [default: 8]")
@OUTPUT
@click.pass_obj
def search(access: ServiceAccess, text: str, kind: str | None, limit: int | None, output: str) -> None:
    """Search flows, topics by both names, consumer groups, clusters and property keys, the best first.

    \b
    Examples:
      srm-control search orders
      srm-control search billing --kind group -o json
      srm-control search acls --kind property --limit 50
    """
    given: dict[str, Any] = {"q": text, "kind": kind, "limit": limit}
    found = access.client().get("/search", {name: value for name, value in given.items() if value is not None})
    show_rows(found["items"], _HITS, output)
    if found["cut"]:
        click.echo(f"There are more of kind {', '.join(found['cut'])}: use --limit, or more words.", err=True)
    for part in found["partial"]:
        click.echo(f"warning: {part['error']}", err=True)


@click.command("topology")
@click.option("--cluster", help="Only the flows of this cluster.")
@OUTPUT
@click.pass_obj
def topology(access: ServiceAccess, cluster: str | None, output: str) -> None:
    """Show clusters and flows as a graph: each direction with its own status and numbers.

    Tables and CSV have the flows; JSON and YAML have the clusters too, with the sums of their flows.

    \b
    Examples:
      srm-control topology
      srm-control topology --cluster eu-central -o json
    """
    found = access.client().get("/topology", {} if cluster is None else {"cluster": cluster})
    if output in ("json", "yaml"):
        show_document(found, output)
    else:
        show_rows(found["edges"], _EDGES, output)
