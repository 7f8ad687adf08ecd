"""What types tell of their things as they are in the world.

See ``orch.plugin.resource.Resource.get_reality`` and ``observe``.
"""

import collections.abc

from orch import errors

Reality = collections.abc.Mapping[str, object]
"""JSON values by name of property, in the form that the schema gives them.

Only what the service tells is in it: a property that is missing is not known.
One that the service does not have at all is there as ``None``.
"""


class Vanished(errors.Permanent):
    """The thing of a resource is not there any more."""

    code = "orch.resource.vanished"


Answer = Reality | errors.OrchError | None
"""What was found out of one thing.

:class:`Vanished` where it is gone, another error where it could not be read,
``None`` where the type cannot tell.
"""
