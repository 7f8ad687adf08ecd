"""Stacks of things that stand already, and stacks that leave theirs.

Documents are those of the service: maps to store, and to send elsewhere.
Unless they are sealed they hold secrets.
"""

import collections.abc
import dataclasses
import typing

from orchclient import identifying
from orchclient import packaging
from orchclient import plans
from orchclient import reading
from orchclient import requesting
from orchclient import stacks
from orchclient import transport
from orchclient import values

Document = dict[str, object]
Texts = collections.abc.Mapping[str, str]


class SecretsWish(typing.TypedDict, total=False):
    """How secrets stand in a document.

    ``secrets``: ``plain`` or ``sealed``. ``receiver``: the public key of the
    installation that they are sealed for.
    """

    secrets: str
    receiver: str


@dataclasses.dataclass(frozen=True, slots=True)
class Abandonment:
    """A stack that is ready to be let go of; ``token`` does so."""

    token: str
    document: Document


@dataclasses.dataclass(frozen=True, slots=True)
class LeftOut:
    """A listed thing that no template was written of."""

    type: str
    resource_id: str
    reason: str


@dataclasses.dataclass(frozen=True, slots=True)
class Generated:
    """A template of things.

    :ivar data: to be adopted
    """

    template: Document
    data: Document
    left_out: tuple[LeftOut, ...]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class OldAddress:
    """An address for signals of a stack that was let go of.

    :ivar resource: names from the stack down, ``/`` between
    :ivar signals_waiting: that have come and were not passed on yet
    """

    resource: str
    resource_type: str
    kind: str
    old_address: str
    new_address: str | None
    signals_waiting: int
    problem: str | None
    last_used_at: values.Moment | None
    last_told_at: values.Moment | None
    has_moved: bool


class Adoption:
    """Adopts and abandons stacks, and writes templates of things."""

    def __init__(self, sender: transport.Transport) -> None:
        self._sender = sender

    def adopt(
        self,
        name: str,
        data: packaging.Document,
        source: packaging.Package | None = None,
        **wish: typing.Unpack[requesting.AdoptWish],
    ) -> values.StackIdentity:
        """Ask for a stack of the things in a document; return which it is.

        :param data: of an export, or written by hand: a map, or a text
        :param source: files and environment; the template is the document's
        """
        body = _adopted(name, data, source, wish)
        return stacks.created(self._sender.ask_once("POST", "/stacks", body))

    def preview(
        self,
        name: str,
        data: packaging.Document,
        source: packaging.Package | None = None,
        **wish: typing.Unpack[requesting.AdoptWish],
    ) -> plans.Plan:
        """Return what the same adoption would do, and how things differ."""
        body = _adopted(name, data, source, wish)
        answer = self._sender.ask("POST", "/stacks/preview", body)
        stack = reading.inner(answer, "stack")
        return plans.Plan.of(reading.inner(stack, "plan"))

    def export(
        self,
        stack: values.Which,
        **secrets: typing.Unpack[SecretsWish],
    ) -> Document:
        """Return the document of a stack; nothing changes."""
        found = identifying.identify(self._sender, stack)
        return self._document("GET", f"{found.path}/export", secrets)

    def abandon(
        self,
        stack: values.Which,
        **secrets: typing.Unpack[SecretsWish],
    ) -> Document:
        """Let go of a stack, return its document; its things stay."""
        found = identifying.identify(self._sender, stack)
        return self._document("DELETE", f"{found.path}/abandon", secrets)

    def prepare(
        self,
        stack: values.Which,
        **secrets: typing.Unpack[SecretsWish],
    ) -> Abandonment:
        """Stop what runs; return the document, to be stored before all."""
        return self._step(stack, {"prepare": None}, secrets)

    def commit(
        self,
        stack: values.Which,
        token: str,
        **secrets: typing.Unpack[SecretsWish],
    ) -> Abandonment:
        """Let go of a stack that was prepared.

        :raises orchclient.errors.ConflictError: it has moved on since
        """
        return self._step(stack, {"commit": token}, secrets)

    def document(
        self,
        stack: values.StackIdentity,
        **secrets: typing.Unpack[SecretsWish],
    ) -> Document:
        """Return the document of a stack that was let go of, once more."""
        return self._document("GET", f"{stack.path}/abandon", secrets)

    def generate(
        self,
        things: collections.abc.Sequence[Texts] = (),
        listings: collections.abc.Sequence[Texts] = (),
    ) -> Generated:
        """Return a template of things that stand.

        :param things: each has ``type``, ``resource_id`` and perhaps
            ``name``
        :param listings: each has ``type`` and perhaps ``name`` and ``tag``
        """
        body: Document = requesting.given(
            things=[dict(each) for each in things] or None,
            listings=[dict(each) for each in listings] or None,
        )
        answer = self._sender.ask("POST", "/stacks/generate", body)
        return Generated(
            dict(reading.inner(answer, "template")),
            dict(reading.inner(answer, "adopt_stack_data")),
            tuple(
                LeftOut(
                    reading.text(each, "type"),
                    reading.text(each, "resource_id"),
                    reading.text(each, "reason"),
                )
                for each in reading.maps(answer, "left_out")
            ),
        )

    def announcement(self, stack: values.Which) -> Document:
        """Return where the addresses of an adopted stack are now, sealed."""
        found = identifying.identify(self._sender, stack)
        answer = self._sender.get(f"{found.path}/addresses")
        return dict(reading.inner(answer, "announcement"))

    def announce(
        self, stack: values.StackIdentity, announcement: Document
    ) -> tuple[OldAddress, ...]:
        """Tell an abandoned stack where signals are to be passed on to."""
        answer = self._sender.ask(
            "POST",
            f"{stack.path}/abandon/addresses",
            {"announcement": announcement},
        )
        return _addresses(answer)

    def old_addresses(
        self, stack: values.StackIdentity
    ) -> tuple[OldAddress, ...]:
        """Return what has become of the addresses of an abandoned stack."""
        return _addresses(self._sender.get(f"{stack.path}/abandon/addresses"))

    def _step(
        self, stack: values.Which, body: Document, secrets: SecretsWish
    ) -> Abandonment:
        found = identifying.identify(self._sender, stack)
        answer = self._sender.ask(
            "POST", f"{found.path}/abandon", body, query=dict(secrets)
        )
        told = reading.inner(answer, "abandonment")
        return Abandonment(
            reading.text(told, "token"), dict(reading.inner(told, "document"))
        )

    def _document(
        self, method: str, path: str, secrets: SecretsWish
    ) -> Document:
        answer = self._sender.ask(method, path, query=dict(secrets))
        return dict(reading.mapping(answer))


def _adopted(
    name: str,
    data: packaging.Document,
    source: packaging.Package | None,
    wish: requesting.AdoptWish,
) -> requesting.Body:
    body = requesting.create(source, wish)
    body.pop("template", None)
    return {"stack_name": name, "adopt_stack_data": data, **body}


def _addresses(answer: object) -> tuple[OldAddress, ...]:
    return tuple(
        OldAddress(
            resource=reading.text(each, "resource"),
            resource_type=reading.text(each, "resource_type"),
            kind=reading.text(each, "kind"),
            old_address=reading.text(each, "old_address"),
            new_address=reading.find_text(each, "new_address"),
            signals_waiting=reading.integer(each, "signals_waiting"),
            problem=reading.find_text(each, "problem"),
            last_used_at=reading.find_moment(each, "last_used_time"),
            last_told_at=reading.find_moment(each, "last_told_time"),
            has_moved=reading.boolean(each, "moved"),
        )
        for each in reading.maps(answer, "addresses")
    )
