"""Live properties that types read of their physical resources.

See ``orch.plugin.resource.Resource.get_reality`` and ``observe``.
"""

import collections.abc

from orch import errors

Reality = collections.abc.Mapping[str, object]
"""JSON values by name of property, in the form that the schema gives them.

It has only what the service shows: a property that is missing is not known.
One that the service does not have at all is ``None``.
"""


class Vanished(errors.Permanent):
    """The physical resource does not exist any more."""

    code = "orch.resource.vanished"


Answer = Reality | errors.OrchError | None
"""What was read of one physical resource.

:class:`Vanished` where it is gone, another error where it could not be read,
``None`` where the type cannot read it.
"""
