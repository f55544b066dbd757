"""The name of a flow on the command line and its path in REST."""

from urllib.parse import quote

from srm_cli.errors import UsageError


def split_flow(flow: str) -> tuple[str, str]:
    """Split `source->target`. Raises UsageError."""
    source, arrow, target = flow.partition("->")
    if not (source and arrow and target) or "/" in flow or "->" in target:
        raise UsageError(f"{flow!r} is not a flow: write source->target, in quotes")
    return source, target


def flow_path(flow: str) -> str:
    """Return the path of a flow below /api/v2. Raises UsageError."""
    source, target = split_flow(flow)
    return f"/replications/{quote(source, safe='')}/{quote(target, safe='')}"
