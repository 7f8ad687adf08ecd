"""Run a request once, however often it is sent.

The answer to a request with a key (``Idempotency-Key``) is stored in the
transaction that does the work: so there is an answer where the work was done
and none where it was not, whatever dies in between. A repetition with the same
key gets that answer.
"""

import collections.abc
import typing

from orch import errors
from orch.context import request
from orch.db import engine as db_engine
from orch.db import functions
from orch.db.repositories import idempotent_answers
from orch.engine import dependencies
from orch.model import idempotent_answer

Answer = typing.TypeVar("Answer")
Facts = typing.TypeVar("Facts", bound=collections.abc.Mapping[str, object])
Given = typing.ParamSpec("Given")

_BATCH = 100


class KeyReused(errors.Invalid):
    """An idempotency key was used before, for a different request."""

    code = "orch.request.key_reused"


def run_once(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    work: collections.abc.Callable[
        typing.Concatenate[
            dependencies.Dependencies, request.RequestContext, Given
        ],
        Answer,
    ],
    /,
    *args: Given.args,
    **kwargs: Given.kwargs,
) -> Answer:
    """Run a request unless its key has an answer; return the answer.

    The work has to :func:`save_answer` its answer, which is JSON. Of several
    requests at the same time one runs, and all get its answer. A refused
    request stores nothing, and may be sent again.

    Its credential is removed afterwards unless a stack got it: no stack gets
    one if the work is refused, or has nothing to do.

    :param work: called with these two and what follows it
    :raises KeyReused: the key belongs to another request
    :raises orch.errors.OrchError: what the work raises
    """
    key = ctxt.repeat
    saved = _find(deps, ctxt) if key else None
    if key and saved:
        return typing.cast(Answer, _answer(saved, key))
    try:
        answer = work(deps, ctxt, *args, **kwargs)
    except errors.OrchError:
        saved = _find(deps, ctxt) if key else None
        if not key or not saved:
            raise
        return typing.cast(Answer, _answer(saved, key))
    finally:
        deps.credential_store.withdraw(ctxt)
    if key:
        _remove_old(deps, ctxt)
    return answer


def make_once(
    deps: dependencies.Dependencies,
    ctxt: request.RequestContext,
    make: collections.abc.Callable[[], Facts],
    show: collections.abc.Callable[[str], Facts],
) -> Facts:
    """Make something as :func:`run_once` does, with its id as the answer.

    Its facts are too large, or too secret, to be stored as an answer.

    :param make: makes it, and returns its facts, with ``id``
    :param show: returns the facts of the one that was made with the key
    """
    if ctxt.repeat is None:
        return make()
    return show(run_once(deps, ctxt, lambda *_: str(make()["id"])))


def save_answer(
    connection: db_engine.Connection,
    ctxt: request.RequestContext,
    answer: Answer,
) -> Answer:
    """Store the answer to a request under its idempotency key, and return it.

    Call it last in the transaction that does the work.

    :raises orch.db.repositories.idempotent_answers.Repeated: another request
        with the key came first
    """
    if ctxt.repeat is not None:
        idempotent_answers.insert(
            connection,
            idempotent_answer.IdempotentAnswer(
                project_id=ctxt.project_id or "",
                key=ctxt.repeat.key,
                digest=ctxt.repeat.digest,
                request_id=ctxt.request_id or "",
                answer=answer,
                created_at=functions.read_clock(connection),
            ),
        )
    return answer


def _find(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> idempotent_answer.IdempotentAnswer | None:
    assert ctxt.repeat is not None
    project_id, key = ctxt.project_id or "", ctxt.repeat.key
    return deps.database.query(
        lambda connection: idempotent_answers.find(connection, project_id, key)
    )


def _answer(
    saved: idempotent_answer.IdempotentAnswer, repeat: request.IdempotencyKey
) -> object:
    if saved.digest != repeat.digest:
        raise KeyReused(
            f"The Idempotency-Key {saved.key!r} was that of another request,"
            f" {saved.request_id}, which said something else: take a new key"
            " for each new request."
        )
    return saved.answer


def _remove_old(
    deps: dependencies.Dependencies, ctxt: request.RequestContext
) -> None:
    """Remove answers that are too old or too many, one batch at a time."""
    settings = deps.settings
    project_id = ctxt.project_id or ""
    deps.database.run(
        lambda connection: (
            idempotent_answers.forget_old(
                connection, settings.idempotency_key_ttl_s, _BATCH
            ),
            idempotent_answers.forget_surplus(
                connection,
                project_id,
                settings.max_idempotency_keys_per_project,
                _BATCH,
            ),
        )
    )
