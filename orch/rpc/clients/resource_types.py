"""Resource types, asked about over the bus."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.clients import caller


class ResourceTypes(caller.Client):
    """The ``type`` namespace."""

    namespace = "type"

    def list(
        self,
        ctxt: request.RequestContext,
        filters: collections.abc.Mapping[str, str],
        with_description: bool = False,
    ) -> list[object]:
        """Return type names, or maps that hold a description too.

        :param filters: ``name`` (a regular expression), ``version``,
            ``support_status``
        """
        found = self._call(
            ctxt, "list", filters=filters, with_description=with_description
        )
        return typing.cast(list[object], found)

    def show(
        self,
        ctxt: request.RequestContext,
        type_name: str,
        with_description: bool = False,
    ) -> dict[str, object]:
        """Return the declared properties and attributes of a type.

        :raises orch.errors.NotFound: no plug-in serves the type
        """
        found = self._call(
            ctxt,
            "show",
            type_name=type_name,
            with_description=with_description,
        )
        return typing.cast(dict[str, object], found)

    def template(
        self, ctxt: request.RequestContext, type_name: str, template_type: str
    ) -> dict[str, object]:
        """Return a template with one resource of the type.

        :param template_type: ``cfn`` or ``hot``
        """
        found = self._call(
            ctxt, "template", type_name=type_name, template_type=template_type
        )
        return typing.cast(dict[str, object], found)
