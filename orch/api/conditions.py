"""Entity tags of stacks, and requests that depend on them (RFC 9110, 13).

A tag has two parts: the revision of the stack and a digest of the answer.
``If-None-Match`` compares all of it, so that 304 means the very same bytes.
``If-Match`` compares the revision alone, in the transaction that changes the
stack: what resources show of themselves may change at any moment, and is no
reason to refuse an update.
"""

import hashlib

import falcon

from orch.api import codec
from orch.api import web
from orch.context import request

_SEPARATOR = "-"
_SAFE = ("GET", "HEAD", "OPTIONS")


def conditional_answer(
    req: web.Request, revision: str | None, body: object
) -> web.Answer:
    """Return the answer to a GET of a stack, with its tag.

    It is 304, without a body, where the sender has it already.

    :param revision: ``None`` where a worker of an older release answered,
        who knows of none; then there is no tag
    """
    if revision is None:
        return web.Answer(body)
    content = codec.dumps(body)
    digest = hashlib.sha256(content).hexdigest()[:16]
    tag = falcon.ETag(f"{revision}{_SEPARATOR}{digest}")
    for known in req.if_none_match or ():
        if known == "*" or str(known) == str(tag):
            return web.Answer(status=304, etag=tag.dumps())
    return web.Answer(content=content, etag=tag.dumps())


def attach_address(req: web.Request, name: str, stack_id: str) -> None:
    """Let the request depend on the name and the id of a stack in its path.

    Where they do not belong together, the worker that finds the stack answers
    that there is none. The name in place of the id means none either: what the
    request depends on is compared with the id.
    """
    req.caller.address = request.StackAddress(name, stack_id)


def attach_condition(req: web.Request, stack_id: str | None) -> None:
    """Let a change of the stack depend on what ``If-Match`` says.

    ``*`` asks for nothing but the stack itself. A weak tag fits nothing, nor
    does what is no tag.

    :param stack_id: in the path of the request; ``None`` for none
    """
    if stack_id is None or req.method in _SAFE:
        return
    if not req.get_header("If-Match"):
        return
    tags = req.if_match or ()
    if "*" in tags:
        return
    req.caller.condition = request.RequestCondition(
        stack_id,
        tuple(
            str(each).partition(_SEPARATOR)[0]
            for each in tags
            if isinstance(each, falcon.ETag) and not each.is_weak
        ),
    )
