"""Sentences of clauses: programs write clauses, since clauses can be parts of others; people read sentences."""

_ENDS = (".", "?", "!")


def sentence(clause: str, *names: str | None) -> str:
    """Return the clause with a capital and a full stop.

    A clause that begins with one of `names`, or with a word of more than letters, such as a setting or a partition,
    keeps its spelling.
    """
    text = clause.strip()
    first = text.split(maxsplit=1)[0].rstrip(",:;.?!") if text else ""
    is_word = first.replace("'", "").isalpha() and first.islower() and first not in names
    start = text[:1].upper() + text[1:] if is_word else text
    return start if not start or start.endswith(_ENDS) else f"{start}."
