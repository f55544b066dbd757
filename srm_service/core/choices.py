"""Choices from the Literals of the domain, so that a closed set is spelled in one place."""

from collections.abc import Sequence
from typing import Any, TypeVar, get_args

Word = TypeVar("Word", bound=str)


def choices_of(words: Any) -> list[tuple[str, str]]:
    """Return the words of a Literal as Django REST framework wants choices."""
    return [(word, word) for word in get_args(words)]


def labelled_choices(words: Any) -> list[tuple[str, str]]:
    """Return the words of a Literal as a model field wants them, with the labels that the migrations hold."""
    return [(word, word.replace("_", " ").title()) for word in get_args(words)]


def word_of(value: str, words: Sequence[Word]) -> Word:
    """Narrow the type of a column's value; database constraints allow no other values."""
    return next(word for word in words if word == value)
