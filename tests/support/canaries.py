"""Secrets that tests look for: their sources, and what functions make of them.

Each row of a table calls one function of the template language on a secret,
and computes the value on its own, so that a test can look for that value.
"""

import collections.abc
import dataclasses
import hashlib
import re
import typing
import urllib.parse

Json = dict[str, typing.Any]
Write = collections.abc.Callable[[object], object]
Expect = collections.abc.Callable[[str], object]

HOT: typing.Final = "2021-04-16"
CFN: typing.Final = "2010-09-09"
CONDITIONS: typing.Final[Json] = {"yes": {"equals": ["a", "a"]}}
CFN_CONDITIONS: typing.Final[Json] = {"Yes": {"Fn::Equals": ["a", "a"]}}

_PIECE: typing.Final = re.compile(r"[A-Za-z0-9]{6,}")


@dataclasses.dataclass(frozen=True)
class Row:
    """One call of a function.

    :ivar function: as templates write it
    :ivar write: returns the call, given the expression of a secret
    :ivar expect: returns the value of the call, given the secret
    """

    function: str
    write: Write
    expect: Expect


def make_secret(first: str, second: str) -> str:
    """Return a secret of two words, which has to be quoted everywhere."""
    return f'{first}"a-{second}/ö b'


def digest_text(text: str) -> str:
    """Return what the function ``digest`` makes of a text by SHA-384."""
    return hashlib.sha384(text.encode("latin-1")).hexdigest()


def find_pieces(value: object) -> set[str]:
    """Return the words of a value, of at least six letters or digits.

    They are the same in JSON, addresses and log lines.
    """
    if isinstance(value, dict):
        return find_pieces([*value, *value.values()])
    if isinstance(value, list):
        return {piece for each in value for piece in find_pieces(each)}
    return set(_PIECE.findall(str(value)))


def _hot(function: str, arguments: Write, expect: Expect) -> Row:
    return Row(function, lambda given: {function: arguments(given)}, expect)


def _replaced(function: str) -> Row:
    return _hot(
        function,
        lambda given: {"template": "is $w", "params": {"$w": given}},
        lambda text: f"is {text}",
    )


def _query(expression: str, expect: Expect) -> Row:
    return _hot(
        "yaql", lambda given: {"expression": expression, "data": given}, expect
    )


HOT_ROWS: typing.Final[collections.abc.Mapping[str, Row]] = {
    "as_it_is": Row("get_param", lambda given: given, lambda text: text),
    "digest": _hot(
        "digest",
        lambda given: ["sha256", given],
        lambda text: hashlib.sha256(text.encode("latin-1")).hexdigest(),
    ),
    "filter": _hot(
        "filter", lambda given: [["x"], ["x", given]], lambda text: [text]
    ),
    "if": _hot("if", lambda given: ["yes", given, "no"], lambda text: text),
    "list_concat": _hot(
        "list_concat",
        lambda given: [[given], ["x"]],
        lambda text: [text, "x"],
    ),
    "list_concat_unique": _hot(
        "list_concat_unique",
        lambda given: [[given], [given, "x"]],
        lambda text: [text, "x"],
    ),
    "list_join": _hot(
        "list_join",
        lambda given: [" ", ["is", given]],
        lambda text: f"is {text}",
    ),
    "make_url": _hot(
        "make_url",
        lambda given: {
            "scheme": "http",
            "username": "u",
            "password": given,
            "host": "host",
            "path": "/",
        },
        lambda text: f"http://u:{urllib.parse.quote(text, safe='')}@host/",
    ),
    "map_merge": _hot(
        "map_merge",
        lambda given: [{"k": "v"}, {"k": given}],
        lambda text: {"k": text},
    ),
    "map_replace": _hot(
        "map_replace",
        lambda given: [
            {"k": "v"},
            {"keys": {"k": given}, "values": {"v": given}},
        ],
        lambda text: {text: text},
    ),
    "repeat": _hot(
        "repeat",
        lambda given: {"template": "is %w%", "for_each": {"%w%": [given]}},
        lambda text: [f"is {text}"],
    ),
    "str_replace": _replaced("str_replace"),
    "str_replace_strict": _replaced("str_replace_strict"),
    "str_replace_vstrict": _replaced("str_replace_vstrict"),
    "str_split": _hot(
        "str_split", lambda given: ["-", given], lambda text: text.split("-")
    ),
    "str_split_part": _hot(
        "str_split",
        lambda given: ["-", given, 1],
        lambda text: text.split("-")[1],
    ),
    "yaql_part": _query("$.data.substring(0, 7)", lambda text: text[:7]),
    "yaql_upper": _query("$.data.toUpper()", str.upper),
    "digest_of_part": _hot(
        "digest",
        lambda given: ["md5", {"str_split": ["-", given, 0]}],
        lambda text: hashlib.md5(
            text.split("-")[0].encode("latin-1")
        ).hexdigest(),
    ),
}

CFN_ROWS: typing.Final[collections.abc.Mapping[str, Row]] = {
    "AsItIs": Row("Ref", lambda given: given, lambda text: text),
    "Base64": _hot("Fn::Base64", lambda given: given, lambda text: text),
    "If": _hot("Fn::If", lambda given: ["Yes", given, "no"], lambda t: t),
    "Join": _hot(
        "Fn::Join",
        lambda given: [" ", ["is", given]],
        lambda text: f"is {text}",
    ),
    "MemberListToMap": _hot(
        "Fn::MemberListToMap",
        lambda given: [
            "Name",
            "Value",
            [
                ".member.0.Name=k",
                {"Fn::Join": ["=", [".member.0.Value", given]]},
            ],
        ],
        lambda text: {"k": text},
    ),
    "Replace": _hot(
        "Fn::Replace",
        lambda given: [{"$w": given}, "is $w"],
        lambda text: f"is {text}",
    ),
    "Select": _hot(
        "Fn::Select",
        lambda given: ["1", {"Fn::Split": ["-", given]}],
        lambda text: text.split("-")[1],
    ),
    "Split": _hot(
        "Fn::Split", lambda given: ["-", given], lambda text: text.split("-")
    ),
}

ELSEWHERE: typing.Final = {
    "get_attr": "reads the sources of the other rows",
    "Fn::GetAtt": "reads the sources of the other rows",
    "get_resource": "reads a generated secret in a resource of its own",
    "resource_facade": "reads metadata in a child stack of its own",
    "Fn::ResourceFacade": "reads metadata in a child stack of its own",
    "Fn::FindInMap": "reads a literal in a resource of its own",
    "contains": "returns a boolean, which has no part of the secret",
    "get_file": "returns the text of a file, which no template can mark",
    "Fn::GetAZs": "fails: there is nobody to ask",
}
"""Functions that no row calls, and why."""


def list_functions() -> set[str]:
    """Return the functions that the tables know."""
    rows = (*HOT_ROWS.values(), *CFN_ROWS.values())
    return {each.function for each in rows}.union(ELSEWHERE)
