"""Each role at the pages: it sees what all may see, the buttons that it may use, and none of the others."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import DAMAGED_TOPIC, As
from tests.e2e.pictures import keep_picture
from tests.support.audits.planted_copy import Planted
from tests.support.system import RunningSystem

pytestmark = [pytest.mark.kafka, pytest.mark.system, pytest.mark.e2e, pytest.mark.large, pytest.mark.timeout(400)]

_ROLES = ("viewer", "operator", "admin")
_FLOW = "/replications/east/west"
_RUNS = ("healthy", "degraded")  # an audit may have found the planted loss


def _first(role: str, *names: str) -> dict[str, str]:
    """The first role that has each of these buttons."""
    return dict.fromkeys(names, role)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A page: a text that comes with its buttons, the first role that has each of them, and the text without any."""

    path: str
    shown: str
    buttons: Mapping[str, str] = field(default_factory=dict)
    without: str = ""


def _places(planted: Iterable[Planted]) -> list[Place]:
    (changed,) = (each for each in planted if each.kind == "changed")
    record = f"{_FLOW}/topics/{DAMAGED_TOPIC}/record?partition={changed.partition}&offset={changed.source_offset}"
    orders = ("Actions", "Pause", "Stop", "Restart", "Throttle", "Reset a topic", "Audit everything")
    cluster = _first("operator", "Test the connection") | _first("admin", "Edit", "Delete")
    return [
        Place(path="/replications", shown="east", buttons=_first("operator", "New replication", "Choose east to west")),
        Place(path=_FLOW, shown="Paused topics", buttons=_first("operator", *orders)),
        Place(path=f"{_FLOW}?tab=tasks", shown="Source task 0", buttons=_first("operator", "Restart source task 0")),
        Place(path=f"{_FLOW}?tab=orders", shown="kept for 30 days", buttons=_first("viewer", "Outcome")),
        Place(
            path=record,
            shown="The copy differs in: value",
            buttons=_first("viewer", "Read again") | _first("admin", "Show the values"),
        ),
        Place(
            path="/replications/new",
            shown="Step 1 of 5",
            buttons=_first("operator", "Next"),
            without="Your role may not create flows",
        ),
        Place(path="/clusters", shown="lisbon", buttons=_first("admin", "Add a cluster")),
        Place(path="/clusters/east", shown="bootstrap.servers", buttons=cluster),
        Place(
            path="/clusters/new",
            shown="Nothing is copied by adding it",
            buttons=_first("admin", "Test the connection", "Add the cluster"),
            without="Your role may not change clusters",
        ),
        Place(path="/drivers", shown="control", buttons=_first("operator", "Drain local", "Restart local")),
        Place(
            path="/configuration",
            shown="east->west.topics",
            buttons=_first("operator", "Add a property"),
            without="Changes need the operator role",
        ),
        Place(
            path="/configuration/transfer",
            shown="Import",
            buttons=_first("operator", "Check the file"),
            without="An import needs the operator role",
        ),
    ]


@pytest.mark.parametrize("role", _ROLES)
def test_a_role_sees_the_buttons_that_it_may_use_and_no_others(
    as_: As, system: RunningSystem, planted: list[Planted], role: str
) -> None:
    system.wait_until("the flow runs", lambda: system.flow("east", "west")["status"] in _RUNS, 90)
    visitor = as_(role)
    for number, place in enumerate(_places(planted)):
        page = visitor.open(place.path)
        may = {name: _ROLES.index(role) >= _ROLES.index(first) for name, first in place.buttons.items()}
        text = place.shown if any(may.values()) or not place.without else place.without
        expect(page.get_by_role("navigation", name="Main")).to_contain_text(role)
        expect(page.get_by_role("main").get_by_text(re.compile(re.escape(text))).first).to_be_visible()
        for name, is_there in may.items():
            expect(_control(page, name)).to_have_count(int(is_there))
        keep_picture(page, f"role-{role}-{number:02}")


def _control(page: Page, name: str) -> Locator:
    """The button, link, box or list of this name."""
    button, *others = (page.get_by_role(kind, name=name, exact=True) for kind in ("button", "link", "checkbox"))
    for other in (*others, page.get_by_role("combobox", name=name, exact=True)):
        button = button.or_(other)
    return button
