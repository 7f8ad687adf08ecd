"""Decide in which form a document is written, and for which key."""

from orch import errors
from orch.engine import dependencies
from orch.engine.adoption import forms
from orch.engine.adoption import sealing
from orch.rpc import contract


def form_of(
    deps: dependencies.Dependencies,
    request: contract.SecretsRequest | None,
    default: str | None = forms.PLAIN,
) -> forms.Form:
    """Return the form of the document that a request asks for.

    :param default: where it asks for none
    :raises orch.engine.adoption.sealing.BadKey: the receiver is no public key
    :raises orch.errors.NotSupported: there is no key to seal for
    """
    name = (request or {}).get("layout", default)
    return forms.Form(receiver=_recipient_of(deps, request), name=name)


def _recipient_of(
    deps: dependencies.Dependencies, request: contract.SecretsRequest | None
) -> str | None:
    """Return the public key to seal for; ``None`` for clear text.

    It is called before anything is done: no stack is to be lost for a key.

    :param request: ``None`` is from an API that did not know seals yet
    :raises orch.engine.adoption.sealing.BadKey: the receiver is no public key
    :raises orch.errors.NotSupported: there is no key to seal for
    """
    request = {"allows_plain": True} if request is None else request
    receiver = request.get("receiver")
    if receiver is None:
        default = "sealed" if deps.settings.seals_documents else "plain"
        is_plain = request.get("form", default) == "plain"
        if is_plain and request.get("allows_plain"):
            return None
        receiver = deps.settings.recipient_public_key or _own(deps)
    sealing.check_recipient(receiver)
    return receiver


def _own(deps: dependencies.Dependencies) -> str:
    if not deps.settings.document_keys:
        raise errors.NotSupported(
            "There is no key to seal the document for: name the public key of"
            " the installation that is to adopt it as receiver, or ask the"
            " operator to set one in [adoption]."
        )
    return sealing.public_key(deps.settings.document_keys[0])
