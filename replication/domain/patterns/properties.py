"""The character classes and properties that Java names by a letter or a word."""

import unicodedata
from functools import cache

from replication.domain.patterns.character_set import LAST, Ranges, characters, complement, ranges_of

_DIGITS, _LOWER, _UPPER = (ord("0"), ord("9")), (ord("a"), ord("z")), (ord("A"), ord("Z"))
_SPACES = characters(" \t\n\x0b\f\r")
_VERTICAL = characters("\n\x0b\f\r\x85\u2028\u2029")
_HORIZONTAL = ranges_of((*characters("\t \xa0\u1680\u180e\u202f\u205f\u3000"), (0x2000, 0x200A)))
LINE_TERMINATORS = characters("\n\r\x85\u2028\u2029")
_PUNCTUATION = ranges_of(((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)))
_BY_LETTER = {
    "d": (_DIGITS,),
    "s": _SPACES,
    "w": ranges_of((_DIGITS, _LOWER, _UPPER, (0x5F, 0x5F))),
    "v": _VERTICAL,
    "h": _HORIZONTAL,
}
_POSIX = {
    "Alpha": ranges_of((_LOWER, _UPPER)),
    "Digit": (_DIGITS,),
    "Alnum": ranges_of((_DIGITS, _LOWER, _UPPER)),
    "Lower": (_LOWER,),
    "Upper": (_UPPER,),
    "Punct": _PUNCTUATION,
    "XDigit": ranges_of((_DIGITS, (ord("a"), ord("f")), (ord("A"), ord("F")))),
    "Space": _SPACES,
    "Blank": characters(" \t"),
    "Cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "Graph": ((0x21, 0x7E),),
    "Print": ((0x20, 0x7E),),
    "ASCII": ((0x00, 0x7F),),
}
_CATEGORIES = (
    frozenset("CLMNPSZ")
    .union(
        *(
            {group + kind for kind in kinds}
            for group, kinds in (("C", "cfnos"), ("L", "lmotu"), ("M", "cen"), ("N", "dlo"))
        )
    )
    .union(*({group + kind for kind in kinds} for group, kinds in (("P", "cdefios"), ("S", "ckmo"), ("Z", "lps"))))
)
OF_ONE_CASE = frozenset({"Lower", "Upper", "Ll", "Lu", "Lt"})  # Java widens some of them where case is ignored


def class_of_letter(letter: str) -> Ranges | None:
    r"""Return the set of `\d`, `\D` and their like; None for other letters."""
    found = _BY_LETTER.get(letter.lower())
    return complement(found) if found is not None and letter.isupper() else found


def property_of(name: str) -> Ranges | None:
    r"""Return the set of `\p{name}`: a POSIX class or a general category of Unicode; None for others."""
    if name in _POSIX:
        return _POSIX[name]
    if name == "IsAlphabetic":
        return ranges_of((*_category("L"), *_category("Nl")))
    category = name.removeprefix("Is")
    return _category(category) if category in _CATEGORIES else None


@cache
def _category(name: str) -> Ranges:
    found: list[tuple[int, int]] = []
    for code_point in range(LAST + 1):
        if unicodedata.category(chr(code_point)).startswith(name):
            if found and found[-1][1] == code_point - 1:
                found[-1] = found[-1][0], code_point
            else:
                found.append((code_point, code_point))
    return tuple(found)
