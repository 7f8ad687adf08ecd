"""Validation of templates, and the versions of their language."""

import collections.abc
import dataclasses

from orchclient import packaging
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import transport


@dataclasses.dataclass(frozen=True, slots=True)
class Version:
    """A version of the template language."""

    name: str
    language: str
    aliases: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Function:
    """A function of the template language."""

    name: str
    description: str


class Templates:
    """Validates templates; lists versions and functions of the language."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def validate(
        self,
        source: packaging.Package,
        *,
        parameters: collections.abc.Mapping[str, object] | None = None,
        files_container: str | None = None,
        show_nested: bool = False,
        ignore_errors: collections.abc.Sequence[str] = (),
    ) -> dict[str, object]:
        """Validate a template; return what it declares, as Heat has it.

        :param files_container: a container of the caller with more files
        :param ignore_errors: codes of Heat that do not count
        :raises orchclient.errors.BadRequestError: it is wrong; ``problems``
            has all that is
        """
        request = request_bodies.CreateRequest()
        if parameters is not None:
            request["parameters"] = parameters
        if files_container is not None:
            request["files_container"] = files_container
        body = request_bodies.creation_body(source, request)
        query = {
            "show_nested": show_nested,
            "ignore_errors": ",".join(ignore_errors) or None,
        }
        answer = self._sender.ask("POST", "/validate", body, query=query)
        return dict(response_parser.read_map(answer))

    def versions(self) -> tuple[Version, ...]:
        """Return the versions of the template language."""
        answer = self._sender.get("/template_versions")
        return tuple(
            Version(
                response_parser.required_text(each, "version"),
                response_parser.get_text(each, "type"),
                response_parser.get_texts(each, "aliases"),
            )
            for each in response_parser.get_maps(answer, "template_versions")
        )

    def functions(
        self, version: str, *, with_conditions: bool = False
    ) -> tuple[Function, ...]:
        """Return the functions of a version.

        :param with_conditions: those of conditions too
        """
        path = f"/template_versions/{transport.quote_part(version)}/functions"
        query = {"with_condition_func": with_conditions}
        return tuple(
            Function(
                response_parser.required_text(each, "functions"),
                response_parser.get_text(each, "description"),
            )
            for each in response_parser.get_maps(
                self._sender.get(path, query), "template_functions"
            )
        )
