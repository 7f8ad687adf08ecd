"""RPC endpoint of the ``template`` namespace."""

import collections.abc
import typing

import oslo_messaging as messaging

from orch.context import request
from orch.engine import dependencies
from orch.engine.templates import container_files
from orch.engine.templates import language
from orch.rpc import contract


class Templates:
    """RPC methods of template validation and of the template language."""

    target: typing.ClassVar[messaging.Target] = messaging.Target(
        namespace="template", version=contract.VERSION
    )

    def __init__(self, deps: dependencies.Dependencies) -> None:
        self._deps = deps

    def validate(
        self,
        ctxt: request.RequestContext,
        *,
        inputs: contract.StackInputs,
        show_nested: bool = False,
        ignore_errors: collections.abc.Sequence[str] = (),
    ) -> dict[str, object]:
        """Return the declarations of a template, once it is validated."""
        return language.validate_template(
            self._deps, ctxt, inputs, show_nested, ignore_errors
        )

    def files(
        self,
        ctxt: request.RequestContext,
        *,
        container: str,
        without: collections.abc.Sequence[str],
        max_bytes: int,
    ) -> dict[str, str]:
        """Return the files of a container of the caller, name to text."""
        return container_files.read_container(
            self._deps, ctxt, container, without, max_bytes
        )

    def versions(
        self, ctxt: request.RequestContext
    ) -> list[dict[str, object]]:
        """Return the versions of the language."""
        return language.list_versions()

    def functions(
        self,
        ctxt: request.RequestContext,
        *,
        version: str,
        with_condition_func: bool = False,
    ) -> list[dict[str, str]]:
        """Return the functions of a version."""
        return language.list_functions(version, with_condition_func)
