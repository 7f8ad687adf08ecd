"""Keeps hidden values out of what is shown of an environment."""

import collections.abc

from orch.plugin import sinks
from orch.template import source
from orch.template.parameters import values as parameter_values


def redact_environment(
    shown: collections.abc.Mapping[str, object], schemas: source.Schemas
) -> dict[str, object]:
    """Return an environment, hidden values as asterisks.

    :param shown: what
        :meth:`orch.template.environment.environment.Environment.as_dict` gives
    :param schemas: of the parameters of the template, by name
    """
    listed = shown["event_sinks"]
    assert isinstance(listed, list)
    masked = {
        **shown,
        "event_sinks": [sinks.redact_sink(one) for one in listed],
    }
    for section in ("parameters", "parameter_defaults"):
        values = shown[section]
        assert isinstance(values, dict)
        masked[section] = {
            name: parameter_values.HIDDEN
            if name in schemas and schemas[name].is_hidden
            else value
            for name, value in values.items()
        }
    return masked
