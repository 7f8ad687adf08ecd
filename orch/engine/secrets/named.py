"""Values that have the name of a secret, such as ``admin_pass``.

No template says that these are hidden; the names of keys and attributes do.
"""

import collections.abc

from orch import redacted
from orch.model import flat_fields


def redact_named(
    values: collections.abc.Mapping[str, object],
) -> dict[str, object]:
    """Return values with ``******`` for each that has the name of a secret."""
    return {
        key: redacted.TEXT
        if each is not None and flat_fields.is_secret(str(key))
        else redact_in(each)
        for key, each in values.items()
    }


def redact_in(value: object) -> object:
    """Return a value; what has the name of a secret in it is redacted."""
    if isinstance(value, collections.abc.Mapping):
        return redact_named(value)
    if isinstance(value, list | tuple):
        return [redact_in(each) for each in value]
    return value
