"""Methods of templates, and of the types of their resources."""

import collections.abc
import typing

from orch.context import request
from orch.rpc.contract import methods
from orch.rpc.contract import requests


@methods.namespace("template")
class Templates(typing.Protocol):
    """Validation of templates, and the template language."""

    @methods.reads()
    def validate(
        self,
        ctxt: request.RequestContext,
        inputs: requests.StackInputs,
        *,
        show_nested: bool = False,
        ignore_errors: collections.abc.Sequence[str] = (),
    ) -> dict[str, object]:
        """Return the declarations of a template, as Heat's ``/validate``.

        :raises orch.errors.Invalid: the template is wrong
        """

    @methods.reads()
    def files(
        self,
        ctxt: request.RequestContext,
        container: str,
        without: collections.abc.Sequence[str],
        max_bytes: int,
    ) -> dict[str, str]:
        """Return the files of a container of the caller, name to text.

        :param without: names of files to omit
        :param max_bytes: of all of them together; -1 for no limit
        :raises orch.errors.NotFound: the caller has no such container
        :raises orch.errors.LimitExceeded: it has too much
        :raises orch.errors.NotSupported: there is no object store
        """

    @methods.reads()
    def versions(
        self, ctxt: request.RequestContext
    ) -> list[dict[str, object]]:
        """Return the template versions: version, type, aliases."""

    @methods.reads()
    def functions(
        self,
        ctxt: request.RequestContext,
        version: str,
        with_condition_func: bool = False,
    ) -> list[dict[str, object]]:
        """Return the functions of a version, with descriptions.

        :raises orch.errors.NotFound: there is no such version
        """


@methods.namespace("type")
class ResourceTypes(typing.Protocol):
    """The resource types that a worker serves."""

    @methods.reads()
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

    @methods.reads()
    def show(
        self,
        ctxt: request.RequestContext,
        type_name: str,
        with_description: bool = False,
    ) -> dict[str, object]:
        """Return the declared properties and attributes of a type.

        :returns: as Heat's ``/resource_types/{type_name}``
        :raises orch.errors.NotFound: no plug-in serves the type
        """

    @methods.reads()
    def template(
        self, ctxt: request.RequestContext, type_name: str, template_type: str
    ) -> dict[str, object]:
        """Return a template with one resource of the type.

        :param template_type: ``cfn`` or ``hot``
        """
