"""Collects the properties of one file under unique places."""

from replication.config.files.findings import Findings
from replication.config.flows.model import Property
from replication.config.tree.properties import PropertyPlace, TreeProperty


class Collector:
    """The properties so far; of two values for one place the last one counts, as in Java."""

    def __init__(self, name: str, findings: Findings) -> None:
        """`name` is the file's name; it begins every origin."""
        self._name = name
        self._findings = findings
        self._found: dict[PropertyPlace, TreeProperty] = {}

    def add(self, place: PropertyPlace, value: str, *, line: int, comment: str = "") -> None:
        """Add a property; a value that it replaces becomes a warning, and its comment is kept if there is no other."""
        earlier = self._found.pop(place, None)
        if earlier is not None:
            prop = Property(key=place.key, value=value, line=line)
            self._findings.warning(prop, f"is set twice; the value of line {earlier.line} is not used")
            comment = comment or earlier.comment
        self._found[place] = TreeProperty(place=place, value=value, comment=comment, origin=f"{self._name}:{line}")

    def properties(self) -> tuple[TreeProperty, ...]:
        """Return all properties in their order."""
        return tuple(self._found.values())
