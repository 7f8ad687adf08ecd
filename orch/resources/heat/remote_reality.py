"""The live properties of a stack at another installation."""

import collections.abc
import json
import typing

import yaml

Values = collections.abc.Mapping[str, object]

_HIDDEN: typing.Final = "******"
"""What installations show for a hidden value."""
_TIMESTAMP: typing.Final = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.SafeLoader):
    """Loads dates as texts, as templates do."""


_Loader.yaml_implicit_resolvers = {
    first: [each for each in known if each[0] != _TIMESTAMP]
    for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_reality(
    properties: Values, shown: Values, template: Values | None
) -> dict[str, object]:
    """Return those properties that the installation tells.

    Where it says the same in another way, they are as the properties have
    them. Parameters that those do not name have the template's defaults, or
    are the installation's own, and are left out.

    :param shown: the stack, as it is shown there
    :param template: as it is shown there; ``None`` where it is not
    """
    found: dict[str, object] = {}
    if template:
        ours = properties.get("template")
        is_same = isinstance(ours, str) and parse_template(ours) == template
        found["template"] = (
            ours
            if is_same
            else yaml.safe_dump(dict(template), sort_keys=False)
        )
    desired, live = properties.get("parameters"), shown.get("parameters")
    if isinstance(live, collections.abc.Mapping):
        given = desired if isinstance(desired, collections.abc.Mapping) else {}
        found["parameters"] = {
            name: _value(given[name], live[name])
            for name in given
            if name in live
        }
    if properties.get("timeout") is not None and "timeout_mins" in shown:
        found["timeout"] = shown["timeout_mins"]
    return found


def parse_template(text: str) -> object:
    """Return what a template says; the text itself where it is none."""
    try:
        return yaml.load(text, _Loader)  # noqa: S506 - it is a safe one
    except (yaml.YAMLError, RecursionError):
        return text


def _value(ours: object, shown: object) -> object:
    """Return the value of a parameter; installations show texts."""
    if shown == _HIDDEN or shown in _texts(ours):
        return ours
    return shown


def _texts(value: object) -> list[object]:
    """Return how a value may be shown."""
    found = [value, str(value)]
    if isinstance(value, bool):
        found.append(str(value).lower())
    if isinstance(value, list):
        found.append(",".join(map(str, value)))
    if isinstance(value, list | dict):
        found.append(json.dumps(value))
    return found
