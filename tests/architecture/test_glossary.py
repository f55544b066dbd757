"""No name, text, comment or document uses a word that docs/glossary.md replaces by another one.

Each test lists all offenders as `file:line: term`. The glossary is the only list of terms; this module lists the
names that are part of a wire format or of another program.
"""

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs/glossary.md"

# Names (patterns) of an unchanged format or of a library, and the prefixes of the paths that may use them.
WIRE_NAMES = (
    # the REST field `verdict` of audits, and the names that the OpenAPI document derives from it
    ("verdict", ("srm_service/", "srm_cli/", "frontend/", "docs/", "tests/")),
    ("by_verdict|AuditVerdict|TopicVerdict", ("srm_service/", "frontend/", "tests/")),
    ("TopicVerdictSerializer|TopicsByVerdict|TopicsByVerdictSerializer|AUDIT_VERDICT_CHOICES", ("srm_service/",)),
    # a counter in raw metrics and a gauge in the metrics store
    ("refused_records", ("replication/", "metrics/", "srm_service/", "docs/", "tests/")),
    # options of the original's command line
    ("--add-blacklist", ("docs/",)),
    ("--remove-blacklist", ("docs/",)),
    # icons of the icon library
    ("IconAlertCircle", ("frontend/",)),
    ("IconCircleCheckFilled", ("frontend/",)),
    ("IconCircleXFilled", ("frontend/",)),
    ("IconHelpCircleFilled", ("frontend/",)),
    # space above the highest value of a chart
    ("headroom", ("frontend/src/components/chart/",)),
)
# Migrations keep the names under which databases recorded them; generated files follow their source.
NOT_READ = ("/migrations/", "frontend/src/api/schema.d.ts", "frontend/dist/", "tests/fixtures/")
NOT_DOCUMENTS = ("docs/glossary.md", "CHANGELOG.md")  # names of before are the point of both
TEST_NAME = re.compile(r"`tests/[^`]*`")  # a test's name is checked where the test is
NAME_IN_PROSE = re.compile(r"`[^`\s]*`")

PARTS = ("replication", "metrics", "srm_service", "srm_cli", "frontend/src", "frontend/e2e", "tests")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
NOT_TYPESCRIPT = re.compile(r"""/\*.*?\*/|//[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""", re.DOTALL)
TYPESCRIPT_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """One term that must not be used, with the pattern that finds it."""

    text: str
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, text: str) -> "Term":
        words = r"[\s_-]+".join(re.escape(word) for word in text.split())
        return cls(text=text, pattern=re.compile(rf"(?<![A-Za-z0-9]){words}s?(?![A-Za-z0-9])", re.IGNORECASE))


def terms_of(section: str) -> tuple[Term, ...]:
    """Return the terms in backticks of the last column of the table below the heading."""
    text = GLOSSARY.read_text().split(f"\n## {section}\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.strip().strip("|").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    found = {term for row in rows[1:] for term in re.findall(r"`([^`]+)`", row[2])}
    return tuple(Term.of(text) for text in sorted(found))


def tracked(*patterns: str) -> Iterator[tuple[str, str]]:
    """Yield path and text of each tracked file that is read."""
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True)
    for path in listed.stdout.splitlines():
        if (ROOT / path).is_file() and not any(part in path for part in NOT_READ):
            yield path, (ROOT / path).read_text()


def python_names(text: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(text)):
        for field in ("id", "name", "attr", "arg", "asname"):
            if isinstance(name := getattr(node, field, None), str):
                yield getattr(node, "lineno", 0), name


def typescript_names(text: str) -> Iterator[tuple[int, str]]:
    code = NOT_TYPESCRIPT.sub(lambda found: "\n" * found[0].count("\n"), text)
    for number, line in enumerate(code.splitlines(), start=1):
        yield from ((number, name) for name in TYPESCRIPT_NAME.findall(line))


def is_wire_name(path: str, name: str) -> bool:
    return any(path.startswith(where) and re.fullmatch(wire, name, re.IGNORECASE) for wire, where in WIRE_NAMES)


def offending_names(path: str, text: str, terms: tuple[Term, ...]) -> Iterator[str]:
    names = list(python_names(text) if path.endswith(".py") else typescript_names(text))
    names.append((0, Path(path).stem))
    for line, name in names:
        if (found := terms_in(name, terms)) and not is_wire_name(path, name):
            yield from (f"{path}:{line}: {name} ({term})" for term in found)


@cache
def terms_in(name: str, terms: tuple[Term, ...]) -> tuple[str, ...]:
    """Return the terms that the name has; most names occur many times."""
    spaced = CAMEL.sub("_", name)
    return tuple(term.text for term in terms if term.pattern.search(spaced))


def prose_of(path: str, text: str) -> str:
    """Return the text without names of tests and without wire names in backticks; lines stay where they are."""
    prose = TEST_NAME.sub("", text)
    for name, where in WIRE_NAMES:
        if path.startswith(where):
            prose = re.sub(rf"\b(?:{name})\b" if "_" in name else f"`{name}`", "", prose)
    return prose


def offending_prose(path: str, text: str, terms: tuple[Term, ...]) -> Iterator[str]:
    prose = prose_of(path, text)
    for term in terms:
        for found in term.pattern.finditer(prose):
            yield f"{path}:{prose.count(chr(10), 0, found.start()) + 1}: {term.text}"


def python_texts(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and text of each comment and string (docstrings, log lines, messages); a single word is a value."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and " " in token.string):
            yield token.start[0], token.string


def offending_texts(path: str, text: str, terms: tuple[Term, ...]) -> Iterator[str]:
    for line, words in python_texts(text) if path.endswith(".py") else [(1, text)]:
        prose = NAME_IN_PROSE.sub("", words)
        for term in terms:
            for found in term.pattern.finditer(prose):
                yield f"{path}:{line + prose.count(chr(10), 0, found.start())}: {term.text}"


def report(offenders: list[str]) -> str:
    return f"{len(offenders)} uses of words that docs/glossary.md replaces:\n" + "\n".join(sorted(set(offenders)))


@pytest.mark.parametrize("part", PARTS)
def test_no_text_of_code_uses_a_phrase_that_the_glossary_replaces(part: str) -> None:
    terms = terms_of("Phrases")
    offenders = [
        offender
        for path, text in tracked(f"{part}/*.py", f"{part}/*.pyx", f"{part}/*.ts", f"{part}/*.tsx")
        if not __file__.endswith(path)
        for offender in offending_texts(path, text, terms)
    ]

    assert not offenders, report(offenders)


@pytest.mark.parametrize("part", PARTS)
def test_no_name_uses_a_word_that_the_glossary_replaces(part: str) -> None:
    terms = terms_of("Names")
    offenders = [
        offender
        for path, text in tracked(f"{part}/*.py", f"{part}/*.ts", f"{part}/*.tsx")
        for offender in offending_names(path, text, terms)
    ]

    assert not offenders, report(offenders)


def test_no_document_uses_a_word_that_the_glossary_replaces() -> None:
    terms = terms_of("Names") + terms_of("Phrases")
    offenders = [
        offender
        for path, text in tracked("*.md")
        if path not in NOT_DOCUMENTS
        for offender in offending_prose(path, text, terms)
    ]

    assert not offenders, report(offenders)


def test_the_glossary_has_terms_to_look_for() -> None:
    assert len(terms_of("Names")) > 25
    assert len(terms_of("Phrases")) > 10


@pytest.mark.parametrize(
    ("name", "term"),
    [
        ("refused_records", "refused record"),
        ("RefusedRecord", "refused record"),
        ("left_out_findings", "left out"),
        ("by_turns", "turns"),
    ],
)
def test_a_term_is_found_in_every_spelling_of_a_name(name: str, term: str) -> None:
    assert list(offending_names("a.py", f"{name} = 1", (Term.of(term),))) == [f"a.py:1: {name} ({term})"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", '"""It goes on."""'),
        ("a.py", 'log.info("the flow goes on")'),
        ("a.py", 'raise ValueError(f"{flow} goes on")'),
        ("a.py", "x = 1  # it goes on"),
        ("a.tsx", "<Text>The flow goes on</Text>"),
    ],
)
def test_a_phrase_is_found_in_every_text_of_code(path: str, text: str) -> None:
    assert list(offending_texts(path, text, (Term.of("goes on"),))) == [f"{path}:1: goes on"]


def test_a_value_and_a_name_in_backticks_are_no_prose() -> None:
    assert not list(offending_texts("a.py", 'user = "nobody"  # `nobody` logs in', (Term.of("nobody"),)))


def test_a_term_is_not_found_inside_another_word() -> None:
    assert not list(offending_names("a.py", "bookkeeping = returns = 1", (Term.of("book"), Term.of("turns"))))
