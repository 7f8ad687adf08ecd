"""How text becomes words, the same in every index and in every query.

Text is folded first (:func:`fold_text`), so that case, accents and forms of
one character make no difference. A word is then a run of letters and digits,
or one ideograph: Chinese and Japanese have no spaces between words.
"""

import collections.abc
import hashlib
import re
import typing
import unicodedata

MAX_WORD_LENGTH: typing.Final = 64
"""How many characters of a word count."""

IDEOGRAPHS: typing.Final = (
    "\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Ranges of a regular expression."""
LETTER: typing.Final = f"[^\\W_{IDEOGRAPHS}]"
"""A regular expression of a character that goes on with a word."""
WORD: typing.Final = re.compile(f"{LETTER}+|[{IDEOGRAPHS}]")
"""A word of folded text."""

_ASCII_WORD = re.compile("[a-z0-9]+")
_RUN = re.compile(r"[\x00-\x7f]+(?=[\x00-\x7f]|\Z)|.", re.DOTALL)
"""ASCII as far as nothing can be composed with it, or one character."""
_IDEOGRAPH = re.compile(f"[{IDEOGRAPHS}]")
_ACCENT = re.compile(
    "[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]"
)
_LETTERS = str.maketrans(
    {
        "æ": "ae",
        "œ": "oe",
        "þ": "th",
        "ø": "o",
        "đ": "d",
        "ð": "d",
        "ħ": "h",
        "\u0131": "i",
        "ł": "l",
        "ŋ": "n",
        "ŧ": "t",
    }
)
"""Latin letters that Unicode does not decompose."""
_FRACTION = "\u2044"
_JOINING = re.compile("[\u1160-\u11ff\uff9e-\uff9f\uffa0-\uffdc]")
"""What, besides marks, is composed with the character before it."""
_MAX_CACHED = 20_000


class _Folds(dict[int, str]):
    """Folded characters by code point, worked out when first asked for."""

    def __missing__(self, code: int) -> str:
        found = _fold_character(chr(code))
        if len(self) < _MAX_CACHED:
            self[code] = found
        return found


def _fold_character(character: str) -> str:
    """Return a character without case, accents and compatibility forms.

    A symbol made of letters (``™``, ``㎏``, ``Ⓐ``) stays one, since it ends
    a word; so does a fraction.
    """
    found = unicodedata.normalize("NFKD", character)
    is_symbol = unicodedata.category(character).startswith("S")
    if (is_symbol and (len(found) > 1 or found.isalnum())) or (
        _FRACTION in found and len(found) > 1
    ):
        return character.casefold()
    return _ACCENT.sub("", found).casefold().translate(_LETTERS)


_FOLDS: typing.Final = _Folds()


def fold_text(text: str) -> str:
    """Return a text as it is compared: without case and accents, in NFKC.

    Folding it again changes nothing.
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", text.translate(_FOLDS))


def fold_value(value: str) -> str:
    """Return a whole value as it is compared."""
    return fold_text(value).strip()


def is_fold_aligned(text: str, folded: str) -> bool:
    """Whether each character of a text is one of the folded text."""
    return len(text) == len(folded) and all(
        len(_FOLDS[ord(each)]) == 1 for each in set(text)
    )


def is_ideograph(text: str) -> bool:
    """Whether a word is one of a single ideograph."""
    return _IDEOGRAPH.fullmatch(text) is not None


def find_words(folded: str) -> list[str]:
    """Return the words of folded text, of any length."""
    return (_ASCII_WORD if folded.isascii() else WORD).findall(folded)


def split_words(text: str) -> list[str]:
    """Return the words of a text, folded.

    A word goes on for at most 64 characters; what follows is left out.
    """
    folded = fold_text(text)
    found = find_words(folded)
    if len(folded) <= MAX_WORD_LENGTH:
        return found
    return [each[:MAX_WORD_LENGTH] for each in found]


def word_spans(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a text, each with where it begins and ends in it.

    Of a character that is several words once it is folded, each of them has
    its place.
    """
    folded, starts, ends = _fold_with_places(text)
    return [
        (
            found[0][:MAX_WORD_LENGTH],
            starts[found.start()],
            ends[found.end() - 1],
        )
        for found in WORD.finditer(folded)
    ]


def _fold_with_places(
    text: str,
) -> tuple[str, collections.abc.Sequence[int], collections.abc.Sequence[int]]:
    """Return a text folded, and where each of its characters comes from.

    :returns: and by place in it, the start and the end in the text
    """
    if text.isascii():
        return text.lower(), range(len(text)), range(1, len(text) + 1)
    spans: list[tuple[int, int]] = []
    for run in _RUN.finditer(text):
        if spans and _is_joining(run[0]):
            spans[-1] = (spans[-1][0], run.end())
        else:
            spans.append(run.span())
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in spans:
        folded = fold_text(text[start:end])
        parts.append(folded)
        if text[start:end].isascii():
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            starts += [start] * len(folded)
            ends += [end] * len(folded)
    return "".join(parts), starts, ends


def _is_joining(run: str) -> bool:
    """Whether a character is composed with the one before it."""
    return len(run) == 1 and (
        unicodedata.category(run).startswith("M")
        or _JOINING.match(run) is not None
    )


def term_number(field: str, value: str) -> int:
    """Return the number, of 63 bits, that a whole value of a field is.

    It stands for the value in indexes that know numbers or short texts only.
    """
    digest = hashlib.blake2b(
        f"{field}\0{fold_value(value)}".encode("utf-8", "replace"),
        digest_size=8,
    )
    return int.from_bytes(digest.digest()) >> 1
