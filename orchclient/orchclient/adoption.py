"""Adoption of existing physical resources, and abandonment of stacks.

Documents are the service's: maps to store, or to send elsewhere.
Unless they are sealed they hold secrets.
"""

import collections.abc
import dataclasses
import typing

from orchclient import models
from orchclient import packaging
from orchclient import plans
from orchclient import request_bodies
from orchclient import response_parser
from orchclient import stack_lookup
from orchclient import stacks
from orchclient import transport
from orchclient.values import adoption as values

Document = dict[str, object]
Texts = collections.abc.Mapping[str, str]
OmittedResource = values.OmittedResource
OldAddress = values.OldAddress


class SecretsRequest(typing.TypedDict, total=False):
    """How a document is written, and holds its secrets.

    ``form``: ``plain``, as Heat's, or ``compact``, with each text once and
    compressed. ``secrets``: ``plain`` or ``sealed``. ``receiver``: the public
    key of the installation that they are sealed for.
    """

    form: str
    secrets: str
    receiver: str


@dataclasses.dataclass(frozen=True, slots=True)
class Abandonment:
    """A stack prepared for abandonment; ``token`` commits it.

    :ivar form: of the document: ``plain`` or ``compact``
    :ivar size: of the document, bytes of JSON
    :ivar max_size: of one that the installation takes; -1 for any
    """

    token: str
    document: Document
    form: str = "plain"
    size: int = 0
    max_size: int = -1


@dataclasses.dataclass(frozen=True, slots=True)
class Generated:
    """A template generated from existing physical resources.

    :ivar data: to be adopted
    """

    template: Document
    data: Document
    omitted: tuple[OmittedResource, ...]


class Adoption:
    """Adopts and abandons stacks, and generates templates."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def adopt(
        self,
        name: str,
        data: packaging.Document,
        source: packaging.Package | None = None,
        *,
        idempotency_key: str | None = None,
        **request: typing.Unpack[request_bodies.AdoptRequest],
    ) -> models.StackIdentity:
        """Adopt a document's physical resources as a stack; return it.

        :param data: of an export, or written by hand: a map, or a text
        :param source: files and environment; the template is the document's
        :param idempotency_key: a request that is repeated with the same key
            gives the first one's stack
        """
        body = _adopted(name, data, source, request)
        return stacks.created_stack(
            self._sender.ask_once("POST", "/stacks", body, key=idempotency_key)
        )

    def preview(
        self,
        name: str,
        data: packaging.Document,
        source: packaging.Package | None = None,
        **request: typing.Unpack[request_bodies.AdoptRequest],
    ) -> plans.Plan:
        """Preview an adoption, and the drift of its physical resources."""
        body = _adopted(name, data, source, request)
        answer = self._sender.ask("POST", "/stacks/preview", body)
        stack = response_parser.get_map(answer, "stack")
        return plans.Plan.of(response_parser.get_map(stack, "plan"))

    def export(
        self,
        stack: models.Which,
        **secrets: typing.Unpack[SecretsRequest],
    ) -> Document:
        """Return the document of a stack without changing the stack."""
        found = stack_lookup.identify_stack(self._sender, stack)
        return self._document("GET", f"{found.path}/export", secrets)

    def abandon(
        self,
        stack: models.Which,
        **secrets: typing.Unpack[SecretsRequest],
    ) -> Document:
        """Abandon a stack, not its physical resources; return its document."""
        found = stack_lookup.identify_stack(self._sender, stack)
        return self._document("DELETE", f"{found.path}/abandon", secrets)

    def prepare(
        self,
        stack: models.Which,
        **secrets: typing.Unpack[SecretsRequest],
    ) -> Abandonment:
        """Prepare an abandonment; return the document to store first."""
        return self._step(stack, {"prepare": None}, secrets)

    def commit(
        self,
        stack: models.Which,
        token: str,
        **secrets: typing.Unpack[SecretsRequest],
    ) -> Abandonment:
        """Abandon a stack that was prepared.

        :raises orchclient.errors.ConflictError: it has moved on since
        """
        return self._step(stack, {"commit": token}, secrets)

    def document(
        self,
        stack: models.StackIdentity,
        **secrets: typing.Unpack[SecretsRequest],
    ) -> Document:
        """Return the document of an abandoned stack again."""
        return self._document("GET", f"{stack.path}/abandon", secrets)

    def generate(
        self,
        resources: collections.abc.Sequence[Texts] = (),
        listings: collections.abc.Sequence[Texts] = (),
    ) -> Generated:
        """Generate a template of existing physical resources.

        :param resources: each has ``type``, ``resource_id`` and perhaps
            ``name``
        :param listings: each has ``type`` and perhaps ``name`` and ``tag``
        """
        body: Document = request_bodies.without_absent(
            resources=[dict(each) for each in resources] or None,
            listings=[dict(each) for each in listings] or None,
        )
        answer = self._sender.ask("POST", "/stacks/generate", body)
        return Generated(
            dict(response_parser.get_map(answer, "template")),
            dict(response_parser.get_map(answer, "adopt_stack_data")),
            response_parser.get_values(answer, "omitted", OmittedResource.of),
        )

    def announcement(self, stack: models.Which) -> Document:
        """Return an adopted stack's new addresses as a sealed announcement."""
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.get(f"{found.path}/addresses")
        return dict(response_parser.get_map(answer, "announcement"))

    def announce(
        self, stack: models.StackIdentity, announcement: Document
    ) -> tuple[OldAddress, ...]:
        """Announce to an abandoned stack where to forward its signals."""
        answer = self._sender.ask(
            "POST",
            f"{stack.path}/abandon/addresses",
            {"announcement": announcement},
        )
        return response_parser.get_values(answer, "addresses", OldAddress.of)

    def old_addresses(
        self, stack: models.StackIdentity
    ) -> tuple[OldAddress, ...]:
        """List the signal addresses of an abandoned stack, and their state."""
        answer = self._sender.get(f"{stack.path}/abandon/addresses")
        return response_parser.get_values(answer, "addresses", OldAddress.of)

    def _step(
        self, stack: models.Which, body: Document, secrets: SecretsRequest
    ) -> Abandonment:
        found = stack_lookup.identify_stack(self._sender, stack)
        answer = self._sender.ask(
            "POST", f"{found.path}/abandon", body, query=dict(secrets)
        )
        content = response_parser.get_map(answer, "abandonment")
        return Abandonment(
            response_parser.get_text(content, "token"),
            dict(response_parser.get_map(content, "document")),
            str(content.get("form") or "plain"),
            _number(content.get("size"), 0),
            _number(content.get("max_size"), -1),
        )

    def _document(
        self, method: str, path: str, secrets: SecretsRequest
    ) -> Document:
        answer = self._sender.ask(method, path, query=dict(secrets))
        return dict(response_parser.read_map(answer))


def _number(found: object, default: int) -> int:
    """Return a number of an answer; an older service does not give it."""
    return found if isinstance(found, int) else default


def _adopted(
    name: str,
    data: packaging.Document,
    source: packaging.Package | None,
    request: request_bodies.AdoptRequest,
) -> request_bodies.Body:
    body = request_bodies.creation_body(source, request)
    body.pop("template", None)
    return {"stack_name": name, "adopt_stack_data": data, **body}
