"""Lost and changed records at the page: an audit finds them, and one click shows both records."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import DAMAGED_TOPIC, As
from tests.e2e.pictures import keep_picture
from tests.support.audits.planted_copy import Planted

pytestmark = [pytest.mark.kafka, pytest.mark.system, pytest.mark.e2e, pytest.mark.timeout(400)]

_AUDITED_MS = 150_000  # Spark may still start


def test_an_operator_audits_a_flow_and_sees_both_records_of_a_finding(as_: As, planted: list[Planted]) -> None:
    page = as_("operator").open("/replications/east/west")
    expect(page.locator(".badge", has_text="Healthy").first).to_be_visible()
    page.get_by_role("button", name="Audit everything").click()
    form = page.get_by_role("form", name="Audit everything")
    expect(form.get_by_role("status")).to_contain_text(re.compile("Reads .* topics with .* partitions on east"))
    form.get_by_role("button", name="Start the audit").click()

    audits = page.get_by_role("region", name="Table of audits")
    expect(audits).to_contain_text("Different", timeout=_AUDITED_MS)
    expect(page.get_by_text(re.compile(r"Source and copy differ in 1 of \d+ topics"))).to_be_visible()
    keep_picture(page, "audit-1-findings")
    for finding in planted:
        row = _finding(page, finding)
        assert [cell.strip() for cell in row.get_by_role("cell").all_inner_texts()[:4]] == [
            DAMAGED_TOPIC,
            "0",
            _shown(finding.source_offset),
            _shown(finding.target_offset),
        ]

    (changed,) = (each for each in planted if each.kind == "changed")
    _finding(page, changed).get_by_role("link", name="Both records").click()
    expect(page.get_by_text("The copy differs in: value")).to_be_visible()
    both = page.get_by_role("region", name="Both records")
    offsets = both.get_by_role("row", name=re.compile("^Offset"))
    expect(offsets).to_contain_text(f"{changed.source_offset:,}")
    expect(offsets).to_contain_text(f"{changed.target_offset:,}")
    expect(both.get_by_role("row", name=re.compile("^Key"))).to_contain_text(f"key-{changed.source_offset}")
    keep_picture(page, "audit-2-both-records")


def _finding(page: Page, finding: Planted) -> Locator:
    """The row of a finding of the damaged topic."""
    findings = page.get_by_role("region", name="Table of findings")
    return findings.get_by_role("row", name=re.compile(f"^{finding.kind.capitalize()} {DAMAGED_TOPIC} "))


def _shown(offset: int | None) -> str:
    return "none" if offset is None else str(offset)
