"""``OS::Heat::StructuredDeployment``: a map with values in it, on a server."""

import collections.abc
import typing

from orch import errors
from orch.plugin import call_context
from orch.plugin import software
from orch.plugin import type_files
from orch.resources.heat.software import derived
from orch.resources.heat.software import software_deployment

Values = collections.abc.Mapping[str, object]

_STRICT: typing.Final = "STRICT"


@type_files.described("OS::Heat::StructuredDeployment")
class StructuredDeployment(software_deployment.SoftwareDeployment):
    """A deployment that puts the values of inputs into the config."""

    def derive(
        self,
        context: call_context.Context,
        source: software.Definition,
        bound: collections.abc.Sequence[Values],
    ) -> object:
        """Return the config with values in the place of inputs.

        :raises orch.errors.Invalid: one is missing, and that is not allowed
        """
        given = context.properties
        return fill_config(
            source.config,
            derived.input_values(bound),
            str(given.get("input_key")),
            is_strict=given.get("input_values_validate") == _STRICT,
        )


def fill_config(
    config: object, values: Values, key: str, *, is_strict: bool
) -> object:
    """Return the config with values in the place of ``{key: NAME}``.

    :raises orch.errors.Invalid: there is no value, and that is not allowed
    """
    if isinstance(config, dict):
        name = config.get(key)
        if len(config) == 1 and isinstance(name, str):
            return _value(name, values, is_strict=is_strict)
        return {
            name: fill_config(one, values, key, is_strict=is_strict)
            for name, one in config.items()
        }
    if isinstance(config, list):
        return [
            fill_config(one, values, key, is_strict=is_strict)
            for one in config
        ]
    return config


def _value(name: str, values: Values, *, is_strict: bool) -> object:
    found = values.get(name)
    if found is None and is_strict:
        raise errors.Invalid(
            f"The config reads the input {name}, which has no value; give it"
            " one in input_values"
        )
    return found
