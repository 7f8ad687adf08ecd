"""The parameters of a request: flat names, lists by ``.member.N``.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/Welcome.html
"""

import base64
import binascii
import collections.abc
import json
import re
import typing
import urllib.parse

from orch import json_depth
from orch.api.cfn import errors

MAX_PARAMETERS: typing.Final = 2000
"""Parameters that a request has at most."""

_MEMBER = re.compile(
    r"(?P<list>[A-Za-z]+)\.member\.(?P<number>[1-9][0-9]{0,3})"
    r"(?:\.(?P<key>[A-Za-z]+))?"
)
_BOOLEANS = {"true": True, "false": False}

Texts = collections.abc.Mapping[str, str]


def parse(text: str) -> dict[str, str]:
    """Return what a query string or a form says.

    :raises orch.api.cfn.errors.MalformedQuery: it says nothing, or something
        twice
    """
    try:
        pairs = urllib.parse.parse_qsl(
            text,
            keep_blank_values=True,
            strict_parsing=bool(text),
            errors="strict",
            max_num_fields=MAX_PARAMETERS,
        )
    except ValueError:
        raise errors.MalformedQuery(
            f"The parameters must be up to {MAX_PARAMETERS} of NAME=VALUE, in"
            " UTF-8."
        ) from None
    found = dict(pairs)
    if len(found) != len(pairs):
        raise errors.MalformedQuery("A parameter is given twice.")
    return found


class Parameters:
    """Reads the parameters of one request.

    What has no value counts as not given.
    """

    def __init__(self, given: Texts) -> None:
        self._given = given

    def find(self, *names: str) -> str | None:
        """Return the first that is given of one parameter's names."""
        return next(
            (self._given[name] for name in names if self._given.get(name)),
            None,
        )

    def get(self, name: str) -> str:
        """Return a parameter that has to be there.

        :raises orch.api.cfn.errors.MissingParameter: it is not
        """
        found = self.find(name)
        if found is None:
            raise errors.MissingParameter(f"{name} must be given.")
        return found

    def boolean(self, name: str) -> bool | None:
        """Return what a parameter says, ``None`` when it is not given.

        :raises orch.api.cfn.errors.InvalidValue: it is neither
        """
        given = self.find(name)
        if given is None:
            return None
        if given.lower() not in _BOOLEANS:
            raise errors.InvalidValue(f"{name} must be true or false.")
        return _BOOLEANS[given.lower()]

    def texts(self, name: str) -> list[str]:
        """Return a list of texts, in the order of its numbers."""
        found = {
            number: value
            for number, key, value in self._members(name)
            if key is None
        }
        return [found[number] for number in sorted(found)]

    def maps(self, name: str) -> list[dict[str, str]]:
        """Return a list of maps, in the order of its numbers."""
        found: dict[int, dict[str, str]] = {}
        for number, key, value in self._members(name):
            if key is not None:
                found.setdefault(number, {})[key] = value
        return [found[number] for number in sorted(found)]

    def _members(
        self, name: str
    ) -> collections.abc.Iterator[tuple[int, str | None, str]]:
        for given, value in self._given.items():
            found = _MEMBER.fullmatch(given)
            if found is not None and found["list"] == name:
                yield int(found["number"]), found["key"], value

    def place(self) -> str | None:
        """Return where the page begins that is asked for.

        :raises orch.api.cfn.errors.InvalidValue: no answer has said so
        """
        given = self.find("NextToken")
        if given is None:
            return None
        try:
            text = base64.urlsafe_b64decode(given.encode())
            found = json_depth.parse_json(text)["after"]
        except (binascii.Error, ValueError, KeyError, TypeError):
            found = None
        if not isinstance(found, str):
            raise errors.InvalidValue(
                "NextToken must be that of an answer, unaltered."
            )
        return found


def token_of(place: str) -> str:
    """Return what asks for the page that begins after a place."""
    text = json.dumps({"after": place}).encode()
    return base64.urlsafe_b64encode(text).decode()
