"""Pushes a stack to another installation: abandons it here, adopts it there.

Nothing is stored at the client. The source keeps the document of the stack
that it has abandoned, and the target reports which stack it has adopted, so
each step can be repeated, and the same call continues where an earlier one
ended.
"""

import collections.abc
import dataclasses
import time
import typing
import uuid

from orchclient import adoption
from orchclient import client
from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from orchclient import plans
from orchclient import push_errors

Side = push_errors.Side
Step = push_errors.Step
PushError = push_errors.PushError

Answer = typing.TypeVar("Answer")

ANNOUNCE_TIMEOUT_S: typing.Final = 30.0
_INTERVAL_S: typing.Final = 1.0
_ATTEMPTS: typing.Final = 5
_STALE: typing.Final = "orch.abandonment.stale"
_LIMIT: typing.Final = "RequestLimitExceeded"
"""Of a document, or of the body that has it; of a quota, too."""
_UNCHANGED: typing.Final = "Nothing has changed at the source."
_NOT_ABANDONED: typing.Final = (
    "The stack was not abandoned; an operation in progress was stopped."
)


class PushRequest(typing.TypedDict, total=False):
    """How the target adopts; see ``AdoptRequest``."""

    adopt_missing: str
    adopt_verify: str


Confirm = collections.abc.Callable[[plans.Plan], bool]
Report = collections.abc.Callable[[Step, str], None]


@dataclasses.dataclass(frozen=True, slots=True)
class Pushed:
    """A stack that was pushed.

    :ivar stack: at the target
    :ivar addresses: its old ones, at the source
    :ivar warnings: why signals to some of them are not forwarded
    """

    stack: models.StackIdentity
    addresses: tuple[adoption.OldAddress, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """What is pushed, and where.

    :ivar stack: at the source
    :ivar name: at the target
    :ivar receiver: public key of the target; ``None`` for clear text
    """

    source: client.Client
    target: client.Client
    stack: models.StackIdentity
    name: str
    receiver: str | None = None
    request: PushRequest = dataclasses.field(
        default_factory=lambda: PushRequest()
    )
    announce_timeout_s: float = ANNOUNCE_TIMEOUT_S

    @property
    def secrets(self) -> adoption.SecretsRequest:
        """Return how the document holds its secrets."""
        if self.receiver is None:
            return {}
        return {"secrets": "sealed", "receiver": self.receiver}


def push(
    source: client.Client,
    target: client.Client,
    stack: models.Which,
    name: str | None = None,
    *,
    receiver: str | None = None,
    announce_timeout_s: float = ANNOUNCE_TIMEOUT_S,
    confirm: Confirm = lambda plan: True,
    report: Report = lambda step, text: None,
    **request: typing.Unpack[PushRequest],
) -> Pushed | None:
    """Push a stack with all that it has; return the stack at the target.

    A second call continues an earlier one, or does nothing.

    :param stack: of the source; one that it has abandoned, too
    :param name: of the stack at the target; by default that of the source
    :param receiver: public key of the target, which alone can then read the
        secrets of the document
    :param announce_timeout_s: how long to wait for addresses that the target
        does not have yet
    :param confirm: whether to do what the plan of the adoption shows; with
        false nothing has changed, and the answer is ``None``
    :param report: called before each step, with a text for users
    :raises PushError: which installation, which step, why, and what to do
    """
    report(Step.FIND, "looking for the stack at the source")
    wanted = Push(
        source=source,
        target=target,
        stack=(found := find(source, stack)),
        name=name or found.name,
        receiver=receiver,
        request=request,
        announce_timeout_s=announce_timeout_s,
    )
    check_target(wanted)
    if not (is_abandoned(source, found) and find_adopted(wanted)):
        report(Step.CHECK, "previewing the adoption at the target")
        if not confirm(check(wanted)):
            return None
    report(Step.ABANDON, f"the source abandons {found}")
    abandon(wanted)
    report(Step.ADOPT, f"the target adopts {wanted.name}")
    adopted = adopt(wanted)
    report(Step.ANNOUNCE, f"the source learns the addresses of {adopted}")
    return announce(wanted, adopted)


def find(source: client.Client, stack: models.Which) -> models.StackIdentity:
    """Return a stack of the source, or the one that it abandoned last.

    :param stack: a name, of a stack that exists if there is one, or an id
    """
    with push_errors.reporting(source, Side.SOURCE, Step.FIND):
        live = source.stacks.find(stack)
        if live is not None:
            return live.identity
        key = stack if isinstance(stack, str) else stack.id
        listed = [
            *source.stacks.list(name=key, show_deleted=True),
            *source.stacks.list(id=key, show_deleted=True),
        ]
        deleted = [each for each in listed if each.deleted_at is not None]
        deleted.sort(key=lambda each: str(each.deleted_at), reverse=True)
        for each in deleted:
            if is_abandoned(source, each.identity):
                return each.identity
        raise errors.NotFoundError(
            errors.ErrorDetails(
                status=404,
                message=f"There is no stack {key}, and none of that name or id"
                " was abandoned, or so long ago that its document is gone.",
            )
        )


def check_target(push: Push) -> None:
    """Raise PushError if the target is the project that has the stack.

    One that is abandoned already may be adopted where it was.

    :raises PushError: it is, at whichever address
    """
    target = push.target
    with push_errors.reporting(target, Side.TARGET, Step.FIND, _UNCHANGED):
        # Not by its id alone, which an administrator reads in any project.
        if any(target.stacks.list(id=push.stack.id)):
            raise PushError(
                f"it is the source, the project that has {push.stack} at the"
                " same installation. Name another target",
                side=Side.TARGET,
                endpoint=push_errors.endpoint_of(target),
                step=Step.FIND,
                advice=_UNCHANGED,
            )


def is_abandoned(source: client.Client, stack: models.StackIdentity) -> bool:
    """Whether the abandonment of a stack was accepted, and is still known."""
    with push_errors.reporting(source, Side.SOURCE, Step.FIND):
        try:
            source.adoption.old_addresses(stack)
        except errors.NotFoundError:
            return False
        return True


def find_adopted(push: Push) -> models.StackIdentity | None:
    """Return the stack at the target that was adopted from the source's."""
    with push_errors.reporting(push.target, Side.TARGET, Step.FIND):
        found = push.target.stacks.find(push.name)
        if found is None:
            return None
        try:
            announcement = push.target.adoption.announcement(found)
        except errors.NotFoundError:
            return None
        is_ours = announcement.get("stack_id") == push.stack.id
        return found.identity if is_ours else None


def check(push: Push) -> plans.Plan:
    """Return the plan of the adoption; nothing changes at the source.

    :raises PushError: the target would refuse it, or its adoption would fail
    """
    advice = push_errors.AGAIN
    read = push.source.adoption.document
    if not is_abandoned(push.source, push.stack):
        advice = _UNCHANGED
        read = push.source.adoption.export

    def work(form: adoption.SecretsRequest) -> plans.Plan:
        with push_errors.reporting(
            push.source, Side.SOURCE, Step.CHECK, advice
        ):
            document = read(push.stack, **(push.secrets | form))
        return _preview(push, document, advice)

    return _in_form(work)


def abandon(push: Push) -> None:
    """Abandon the stack at the source, and wait until it is gone there.

    One that was abandoned already is waited for, and retried if that failed.
    The target previews each document before it is committed.
    """
    source, stack = push.source, push.stack
    with push_errors.reporting(source, Side.SOURCE, Step.ABANDON):
        if not is_abandoned(source, stack):
            _abandon_unchanged(push)
        elif source.stacks.find(stack) is None:
            return
        else:
            ready = source.adoption.prepare(stack, **push.secrets)
            source.adoption.commit(stack, ready.token, **push.secrets)
        source.waiters.wait(stack)


def adopt(push: Push) -> models.StackIdentity:
    """Adopt the abandoned stack at the target, and wait until it is complete.

    One that was adopted already is waited for, and retried if that failed.
    """
    adopted = find_adopted(push)
    with push_errors.reporting(push.target, Side.TARGET, Step.ADOPT):
        if adopted is None:
            adopted = _in_form(lambda form: _request_adoption(push, form))
        elif str(_status(push, adopted)) == "ADOPT_FAILED":
            how = push.request.get("adopt_verify")
            if how is None:
                push.target.stacks.retry(adopted)
            else:
                push.target.stacks.retry(adopted, adopt_verify=how)
        _wait_adopted(push, adopted)
    return adopted


def announce(push: Push, adopted: models.StackIdentity) -> Pushed:
    """Announce the new addresses at the source until each old one has one.

    :returns: with a warning for each that has none once the time is over, or
        that the source does not forward to
    """
    limit = time.monotonic() + push.announce_timeout_s
    with push_errors.reporting(push.source, Side.SOURCE, Step.ANNOUNCE):
        while True:
            known = push.source.adoption.old_addresses(push.stack)
            if not known:
                return Pushed(adopted)
            with push_errors.reporting(
                push.target, Side.TARGET, Step.ANNOUNCE
            ):
                announcement = push.target.adoption.announcement(adopted)
            try:
                known = push.source.adoption.announce(push.stack, announcement)
            except errors.ForbiddenError as error:
                return Pushed(adopted, known, (error.message,))
            missing = [each for each in known if each.new_address is None]
            if not missing or time.monotonic() >= limit:
                return Pushed(adopted, known, tuple(map(_warning, missing)))
            time.sleep(_INTERVAL_S)


def _abandon_unchanged(push: Push) -> None:
    """Commit the abandonment of a stack as the target would adopt it.

    :raises orchclient.errors.ConflictError: the stack changes all the time
    """
    for left in reversed(range(_ATTEMPTS)):
        ready = _in_form(lambda form: _prepare(push, form))
        secrets: adoption.SecretsRequest = {
            **push.secrets,
            "form": ready.form,
        }
        try:
            push.source.adoption.commit(push.stack, ready.token, **secrets)
            return
        except errors.ConflictError as error:
            if error.code != _STALE or not left:
                raise


def _prepare(
    push: Push, form: adoption.SecretsRequest
) -> adoption.Abandonment:
    """Prepare the abandonment, once more if need be; preview its adoption."""
    ready = push.source.adoption.prepare(push.stack, **(push.secrets | form))
    _preview(push, ready.document, _NOT_ABANDONED)
    return ready


def _preview(
    push: Push, document: adoption.Document, advice: str
) -> plans.Plan:
    """Return the plan of an adoption.

    :raises PushError: it would be refused or would fail
    """
    with push_errors.reporting(push.target, Side.TARGET, Step.CHECK, advice):
        plan = push.target.adoption.preview(
            push.name, document, **push.request
        )
    problems = list(_problems(plan, push.request.get("adopt_verify")))
    if problems:
        raise PushError(
            "; ".join(problems),
            side=Side.TARGET,
            endpoint=push_errors.endpoint_of(push.target),
            step=Step.CHECK,
            advice=advice,
        )
    return plan


def _problems(
    plan: plans.Plan, verify: str | None, path: str = ""
) -> collections.abc.Iterator[str]:
    """Yield why resources of a tree cannot be adopted.

    A physical resource that the target cannot read is a problem unless the
    caller says that it is none.
    """
    for change in plan.changes:
        name = f"{path}{change.name}"
        # The service tells by its reason alone what is wrong.
        is_unreadable = ", although " in change.reason
        if change.kind == "adopt" and (
            change.reason.startswith("will fail")
            or (is_unreadable and verify in (None, "refuse"))
        ):
            yield f"{name} ({change.physical_id}) {change.reason}"
        elif verify == "refuse":
            # What was not observed has no old value.
            differing = sorted(
                key
                for key, each in change.properties.items()
                if each.old is not plans.ABSENT
            )
            if differing:
                yield f"{name} differs in {', '.join(differing)}"
        if change.child_plan is not None:
            yield from _problems(change.child_plan, verify, f"{name}/")


def _request_adoption(
    push: Push, form: adoption.SecretsRequest
) -> models.StackIdentity:
    """Request the adoption, once; return the stack at the target."""
    with push_errors.reporting(push.source, Side.SOURCE, Step.ADOPT):
        ready = push.source.adoption.prepare(
            push.stack, **(push.secrets | form)
        )
    # A stack that was deleted at the target may be pushed again.
    deleted = sorted(
        each.id
        for each in push.target.stacks.list(name=push.name, show_deleted=True)
    )
    basis = "/".join([push.stack.id, ready.token, *deleted])
    try:
        return push.target.adoption.adopt(
            push.name,
            ready.document,
            idempotency_key=str(uuid.uuid5(uuid.NAMESPACE_URL, basis)),
            **push.request,
        )
    except (errors.ConflictError, errors.UnprocessableError):
        # Another push of this stack may have been faster.
        found = find_adopted(push)
        if found is None:
            raise
        return found


def _wait_adopted(push: Push, adopted: models.StackIdentity) -> None:
    """Wait for the adoption; a check or an update after it does not count.

    :raises PushError: it has failed
    """
    if _status(push, adopted).action != "ADOPT":
        return
    started = next(
        each
        for each in push.target.operations.list(adopted)
        if each.action == "ADOPT"
    )
    try:
        push.target.waiters.wait(adopted, started.id)
    except operation_errors.OperationFailedError as error:
        raise PushError(
            str(error),
            side=Side.TARGET,
            endpoint=push_errors.endpoint_of(push.target),
            step=Step.ADOPT,
            advice="Repair the cause; then retry the stack there (orch retry"
            f" {adopted.name}), or push it again, which does the same and"
            " continues.",
        ) from error


def _status(push: Push, adopted: models.StackIdentity) -> models.Status:
    return push.target.stacks.show(adopted, with_outputs=False).status


def _in_form(
    work: collections.abc.Callable[[adoption.SecretsRequest], Answer],
) -> Answer:
    """Do something with a plain document, or compact if plain is too large.

    Either installation may find it too large.
    """
    try:
        return work({})
    except errors.Error as error:
        cause = error.__cause__ if isinstance(error, PushError) else error
        is_too_large = isinstance(cause, errors.ApiError) and (
            cause.status == 413 or cause.type == _LIMIT
        )
        if not is_too_large:
            raise
    return work({"form": "compact"})


def _warning(address: adoption.OldAddress) -> str:
    return (
        f"{address.resource}: the target has no address of kind {address.kind}"
        " yet."
    )
