"""The template language, asked about over the bus."""

import collections.abc
import typing

from orch.context import request
from orch.rpc import contract
from orch.rpc.clients import caller

Facts = list[dict[str, object]]


class Templates(caller.Client):
    """The ``template`` namespace."""

    namespace = "template"

    def validate(
        self,
        ctxt: request.RequestContext,
        inputs: contract.StackInputs,
        *,
        show_nested: bool = False,
        ignore_errors: collections.abc.Sequence[str] = (),
    ) -> dict[str, object]:
        """Return what the template declares, in the words of the wire.

        :raises orch.errors.Invalid: the template is wrong
        """
        found = self._call(
            ctxt,
            "validate",
            inputs=inputs,
            show_nested=show_nested,
            ignore_errors=ignore_errors,
        )
        return typing.cast(dict[str, object], found)

    def files(
        self,
        ctxt: request.RequestContext,
        container: str,
        without: collections.abc.Sequence[str],
        max_bytes: int,
    ) -> dict[str, str]:
        """Return the files of a container of the caller, name to text.

        :param without: names of those that are not wanted
        :param max_bytes: of all of them together; -1 for no limit
        :raises orch.errors.NotFound: the caller has no such container
        :raises orch.errors.LimitExceeded: it has too much
        :raises orch.errors.NotSupported: there is no object store
        """
        found = self._call(
            ctxt,
            "files",
            container=container,
            without=list(without),
            max_bytes=max_bytes,
        )
        return typing.cast(dict[str, str], found)

    def versions(self, ctxt: request.RequestContext) -> Facts:
        """Return the template versions: version, type, aliases."""
        return typing.cast(Facts, self._call(ctxt, "versions"))

    def functions(
        self,
        ctxt: request.RequestContext,
        version: str,
        with_condition_func: bool = False,
    ) -> Facts:
        """Return the functions that a version knows, with descriptions.

        :raises orch.errors.NotFound: there is no such version
        """
        found = self._call(
            ctxt,
            "functions",
            version=version,
            with_condition_func=with_condition_func,
        )
        return typing.cast(Facts, found)
