"""A tree while it is converted: properties under unique places, with the findings about what changes."""

from collections.abc import Iterable
from dataclasses import replace

from replication.config.files.findings import Findings
from replication.config.flows.model import Property
from replication.config.tree.properties import PropertyPlace, TreeProperty


class Draft:
    """The properties of the new tree in their order."""

    def __init__(self, properties: Iterable[TreeProperty], findings: Findings) -> None:
        """`properties` are those of the tree that is converted."""
        self.before = {each.place: each for each in properties}
        self.after: dict[PropertyPlace, TreeProperty] = {}
        self._findings = findings

    def keep(self, prop: TreeProperty) -> None:
        """Take a property over as it is; one that is there already stays."""
        self.after.setdefault(prop.place, prop)

    def put(self, prop: TreeProperty, *places: PropertyPlace, note: str) -> None:
        """Write a property at other places, whose own values lose; only the first of them has the comment."""
        for at, place in enumerate(places):
            self.after[place] = replace(prop, place=place, comment="" if at else prop.comment)
        self._findings.note(_shown(prop), f"{note} {', '.join(place.key for place in places)}")

    def move(self, prop: TreeProperty, *places: PropertyPlace, note: str) -> None:
        """Write a property at other places unless they are taken; only the first of them has the comment."""
        comment = prop.comment
        for place in places:
            if place not in self.before and place not in self.after:
                self.after[place] = replace(prop, place=place, comment=comment)
                comment = ""
        self._findings.note(_shown(prop), f"{note} {', '.join(place.key for place in places)}")

    def drop(self, prop: TreeProperty, why: str) -> None:
        """Leave a property out and report it."""
        self._findings.error(_shown(prop), f"is not written: {why}")

    def warn(self, prop: TreeProperty, text: str) -> None:
        self._findings.warning(_shown(prop), text)

    def note(self, prop: TreeProperty, text: str) -> None:
        self._findings.note(_shown(prop), text)


def _shown(prop: TreeProperty) -> Property:
    return Property(key=prop.place.key, value="", line=prop.line)
