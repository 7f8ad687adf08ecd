"""Decide whether the secrets in a document are sealed, and for which key."""

from orch import errors
from orch.engine import dependencies
from orch.engine.adoption import sealing
from orch.rpc import contract


def recipient_of(
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


def seal_document(
    document: dict[str, object],
    receiver: str | None,
    *,
    is_child: bool = False,
) -> dict[str, object]:
    """Return the document, sealed if a receiver is given.

    :param is_child: it is the document of a child stack
    """
    return (
        document
        if receiver is None
        else sealing.seal_document(document, receiver, is_child=is_child)
    )


def _own(deps: dependencies.Dependencies) -> str:
    if not deps.settings.document_keys:
        raise errors.NotSupported(
            "There is no key to seal the document for: name the public key of"
            " the installation that is to adopt it as receiver, or ask the"
            " operator to set one in [adoption]."
        )
    return sealing.public_key(deps.settings.document_keys[0])
