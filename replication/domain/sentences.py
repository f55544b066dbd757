"""Sentences of clauses: programs write clauses, since clauses can be parts of others; people read sentences."""

_ENDS = (".", "?", "!")
_COMMAND = ": kafka-"


def sentence(clause: str, *names: str | None) -> str:
    """Return the clause with a capital and a full stop.

    A clause that begins with one of `names`, or with a word of more than letters, such as a setting or a partition,
    keeps its spelling. One that ends with a command gets no full stop, since people copy the command.
    """
    text = clause.strip()
    first = text.split(maxsplit=1)[0].rstrip(",:;.?!") if text else ""
    is_word = first.replace("'", "").isalpha() and first.islower() and first not in names
    start = text[:1].upper() + text[1:] if is_word else text
    is_complete = not start or start.endswith(_ENDS) or _COMMAND in start
    return start if is_complete else f"{start}."
