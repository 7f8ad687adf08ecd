"""Functions that make maps of maps."""

import collections
import json
import re

from orch.plugin import function
from orch.template.functions import listed
from orch.template.text import values as text_values


class MapMerge(function.Function):
    """Gives one map of several; later ones win."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the map."""
        maps = self.resolved(scope)
        if not isinstance(maps, list | str):
            raise TypeError(
                f'Incorrect arguments to "{self.name}" should be:'
                f' "{self.name}" : [ {{ "key1": "val1" }},'
                ' { "key2": "val2" } ]'
            )
        merged: dict[str, object] = {}
        for one in maps:
            if one is None:
                continue
            if not text_values.is_map(one):
                raise TypeError(
                    "Incorrect arguments: Items to merge must be maps."
                    f" {repr(one)[:200]} is type {type(one)} instead of a"
                    " dict"
                )
            merged.update(one)
        return merged


class MapReplace(function.Function):
    """Gives a map with keys and values replaced."""

    __slots__ = ()

    def evaluate(self, scope: function.Scope) -> object:
        """Return the map."""
        given, keys, values = self._parts(self.resolved(scope))
        replaced: dict[str, object] = {}
        for key, value in given.items():
            new = keys.get(key, key)
            if new is None:
                new = key
            new = self._key(new)
            if new != key and new in given:
                raise ValueError(
                    f"key replacement {new} collides with a key in the"
                    " input map"
                )
            if new != key and new in replaced:
                raise ValueError(
                    f"key replacement {new} collides with a key in the"
                    " output map"
                )
            if isinstance(value, str):
                value = values.get(value, value)
            replaced[new] = value
        return replaced

    def _parts(
        self, arguments: object
    ) -> tuple[dict[str, object], dict[str, object], dict[str, object]]:
        usage = (
            f'Incorrect arguments to "{self.name}" should be:'
            f' "{self.name}" : [ {{ "key1": "val1" }},'
            ' {"keys": {"key1": "key2"}, "values": {"val1": "val2"}}]'
        )
        if not text_values.is_list(arguments) or len(arguments) != 2:
            raise TypeError(usage)
        given, changes = (self._map(one) for one in arguments)
        if not set(changes) <= {"keys", "values"}:
            raise ValueError(usage)
        return (
            given,
            self._map(changes.get("keys")),
            self._map(changes.get("values")),
        )

    def _key(self, value: object) -> str:
        """Return a replacement as the key that JSON makes of it."""
        if isinstance(value, list | dict):
            raise TypeError(
                f'"{self.name}": the key replacement {value!r} is no text'
            )
        return value if isinstance(value, str) else json.dumps(value)

    def _map(self, value: object) -> dict[str, object]:
        if value is None:
            return {}
        if not text_values.is_map(value):
            raise TypeError(
                f'Incorrect arguments: to "{self.name}", arguments must be a'
                f" list of maps, not {repr(value)[:200]}"
            )
        return value


_MEMBER = re.compile(r"\.member\.(\d+)\.(.*)", re.ASCII)


class MemberListToMap(listed.ListFunction):
    """Gives a map of a list that has the form of a query's parameters."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse anything but a list of two names and a list."""
        arguments = text_values.plain_items(self.arguments)
        if not text_values.is_list(arguments) or len(arguments) != 3:
            raise TypeError(
                f'Wrong Arguments try: "{self.name}": ["Name", "Value",'
                ' [".member.0.Name=key", ".member.0.Value=door"]]'
            )
        for what, name in zip(("Key", "Value"), arguments, strict=False):
            if not isinstance(name, str):
                raise TypeError(f"{self.name} {what} Name must be a string")

    def evaluate(self, scope: function.Scope) -> object:
        """Return the map; a member without a key or value is left out.

        Texts that do not begin with ``.member.<number>.`` do not count.
        """
        key_name, value_name, members = self.resolved_list(scope)
        if members in ("", {}):
            members = []
        if not text_values.is_list(members):
            raise TypeError("Member list must be a list")
        found: dict[int, dict[str, str]] = collections.defaultdict(dict)
        for member in members:
            if not isinstance(member, str) or "=" not in member:
                raise TypeError("Member list items must be strings with a =")
            name, _, value = member.partition("=")
            match = _MEMBER.fullmatch(name)
            if match is not None:
                found[int(match[1])][match[2]] = value
        return {
            parts[key_name]: parts[value_name]
            for parts in found.values()
            if key_name in parts and value_name in parts
        }
