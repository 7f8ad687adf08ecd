"""One call of a lifecycle plug-in, and the check of its answer."""

import collections.abc
import dataclasses
import functools
import json
import time
import typing

from orch import clock
from orch import errors
from orch import redacted
from orch.engine import plugin_reads
from orch.flow.state import hooks
from orch.metrics import catalogue
from orch.model import lifecycle as model
from orch.plugin import lifecycle
from orch.plugin import lifecycle_operation
from orch.plugin import lifecycle_order
from orch.plugin import read_only_values

MAX_TEXT_CHARACTERS = 2000
MAX_HOLD_S = 100 * 365 * 86400.0
MAX_DECISIONS_BYTES = 4 * 2**20
"""Characters of JSON that one verdict may decide."""

Redact = collections.abc.Callable[[str], str]
"""Redacts the sensitive parts of a text."""

SaveDecisions = collections.abc.Callable[
    [str, collections.abc.Mapping[str, object]], bool
]
"""Saves the decisions of a plug-in; returns whether they were still valid.

They are not where other operations have decided what it did not know of.
"""


class BadAnswer(errors.Permanent):
    """A pre-op has returned something other than a valid verdict."""

    code = "orch.lifecycle.bad_answer"


@dataclasses.dataclass(frozen=True, slots=True)
class CallResult:
    """The result of one call.

    :ivar verdict: of a pre-op that has answered; its decisions are JSON
    :ivar error: why there is no answer
    :ivar is_late: it gave no answer within its limit
    :ivar is_call: false where the plug-in is missing and could not be called
    """

    began_at: clock.Timestamp
    seconds: float
    verdict: lifecycle.Verdict | None = None
    error: str | None = None
    is_late: bool = False
    is_call: bool = True


def needs_call(
    member: lifecycle_order.OrderedPlugin | None, phase: str
) -> typing.TypeGuard[lifecycle_order.OrderedPlugin]:
    """Whether a plug-in has a pre-op, or a post-op, that is to be called.

    :param member: ``None`` for one that is not installed any more
    """
    return member is not None and member.has_op(phase)


def idle_result(
    member: lifecycle_order.OrderedPlugin | None,
    phase: str,
    clock_: clock.Clock,
) -> CallResult:
    """Return the result for a plug-in that needs no call."""
    if member is None:
        error = "it is not installed any more"
        return CallResult(clock_.now(), 0.0, error=error, is_call=False)
    verdict = lifecycle.allow() if phase == model.PRE else None
    return CallResult(clock_.now(), 0.0, verdict)


def call_hook(
    member: lifecycle_order.OrderedPlugin,
    view: lifecycle_operation.LifecycleOperation,
    clock_: clock.Clock,
    ended: lifecycle.OperationResult | None = None,
    save: SaveDecisions | None = None,
) -> CallResult:
    """Call a pre-op or a post-op; an exception becomes part of the result.

    :param ended: of a post-op; ``None`` for a pre-op
    :param save: as long as it returns false, the pre-op is called again;
        ``None`` to save nothing now
    """
    began_at, since = clock_.now(), time.monotonic()
    verdict, error = None, None
    try:
        if ended is None:
            verdict = _ask(member, view, save)
        else:
            member.plugin.post_operation(view, ended)
    except BaseException as raised:
        error = error_text(raised)
    return CallResult(began_at, time.monotonic() - since, verdict, error)


def _ask(
    member: lifecycle_order.OrderedPlugin,
    view: lifecycle_operation.LifecycleOperation,
    save: SaveDecisions | None,
) -> lifecycle.Verdict:
    while True:
        verdict = _checked(member.plugin.pre_operation(view))
        found = verdict.decisions
        if not found or save is None or save(member.name, found):
            return verdict


def call_within(
    reads: plugin_reads.PluginReads,
    until: float,
    member: lifecycle_order.OrderedPlugin,
    view: lifecycle_operation.LifecycleOperation,
    clock_: clock.Clock,
    ended: lifecycle.OperationResult | None = None,
) -> CallResult:
    """Call a pre-op or a post-op while a caller waits.

    :param until: by the monotonic clock; the plug-in's own limit counts too
    """
    since = clock_.monotonic()
    try:
        return reads.ask(
            functools.partial(call_hook, member, view, clock_, ended),
            min(until, since + member.time_limit_s),
        )
    except errors.OrchError:
        late = hooks.HookTimeout("it gave no answer in time")
        return result_of(None, late, clock_.monotonic() - since, clock_)


def result_of(
    answer: object,
    error: BaseException | None,
    seconds: float,
    clock_: clock.Clock,
) -> CallResult:
    """Return the result of a call that ends now.

    :param error: an error or a timeout, where there is no answer
    :param seconds: that the call took, where there is no answer
    """
    if isinstance(answer, CallResult):
        return answer
    assert error is not None
    is_late = isinstance(error, hooks.HookTimeout)
    text = str(error) if is_late else error_text(error)
    began_at = clock.Timestamp(clock_.now() - seconds)
    return CallResult(began_at, seconds, error=text, is_late=is_late)


def error_text(error: BaseException) -> str:
    """Return an error in one line; :func:`call_record` redacts it."""
    kind = errors.kind_of(error)
    text = " ".join(str(error).split())
    return f"{kind}: {text}" if text else kind


def call_record(
    heard: CallResult,
    plugin: str,
    phase: str,
    *,
    is_repeat: bool,
    redact: Redact,
    outcome: str = "",
) -> model.Call:
    """Return the record of a call to store, with its texts redacted.

    The call is counted among the metrics.

    :param phase: also ``preview``
    :param redact: redacts the sensitive parts of a text; it gets the whole
        text, for a value that is cut in two is not recognised
    :param outcome: what a post-op was told
    """
    verdict = heard.verdict
    if heard.is_call:
        result = verdict.ruling.value if verdict else "done"
        if heard.error is not None:
            result = "late" if heard.is_late else "failed"
        catalogue.LIFECYCLE_CALLS.count(plugin, phase, result)
        catalogue.LIFECYCLE_CALL_S.observe(heard.seconds, plugin, phase)
    return model.Call(
        plugin=plugin,
        phase=phase,
        outcome=outcome,
        ruling=verdict.ruling.value if verdict else None,
        text=redacted.cut(redact(verdict.text), MAX_TEXT_CHARACTERS)
        if verdict and verdict.text
        else "",
        error=redacted.cut(redact(heard.error), MAX_TEXT_CHARACTERS)
        if heard.error
        else None,
        began_at=heard.began_at,
        seconds=round(heard.seconds, 6),
        is_repeat=is_repeat,
    )


def _is_deadline(value: object) -> bool:
    is_number = isinstance(value, int | float) and 0 < value <= MAX_HOLD_S
    return value is None or is_number


_FIELDS: typing.Final[
    collections.abc.Mapping[
        str, tuple[collections.abc.Callable[[object], bool], str]
    ]
] = {
    "ruling": (
        lambda value: isinstance(value, lifecycle.Ruling),
        "a verdict is made by allow, warn, deny or hold",
    ),
    "text": (
        lambda value: isinstance(value, str),
        "the text of a verdict is a text",
    ),
    "deadline_s": (
        _is_deadline,
        "the deadline of a hold is a number of seconds, at most"
        f" {MAX_HOLD_S:.0f}",
    ),
    "needs_other": (
        lambda value: isinstance(value, bool),
        "needs_other of a hold is true or false",
    ),
    "is_separate": (
        lambda value: isinstance(value, bool),
        "is_separate of a hold is true or false",
    ),
}
"""What each field of a verdict is, and the error if it is something else."""


def _checked(answer: object) -> lifecycle.Verdict:
    """Return the answer as a verdict, with decisions as JSON.

    :raises BadAnswer: it is not one
    """
    if answer is None:
        return lifecycle.allow()
    if not isinstance(answer, lifecycle.Verdict):
        kind = type(answer).__name__
        raise BadAnswer(f"a pre-op gives a verdict, not {kind}")
    for name, (is_valid, text) in _FIELDS.items():
        if not is_valid(getattr(answer, name)):
            raise BadAnswer(text)
    return dataclasses.replace(
        answer,
        text=" ".join(answer.text.split()),
        decisions=_plain(answer.decisions),
    )


def _plain(decisions: object) -> collections.abc.Mapping[str, object]:
    """Return decisions as JSON values by path.

    :raises BadAnswer: they are something else
    """
    if not isinstance(decisions, collections.abc.Mapping) or not all(
        isinstance(path, str) for path in decisions
    ):
        raise BadAnswer("decisions are a mapping from paths of resources")
    found: dict[str, object] = read_only_values.thaw(decisions)
    try:
        "".join(found).encode()
        size = len(json.dumps(found, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise BadAnswer(f"decisions have no form in JSON: {error}") from error
    if size > MAX_DECISIONS_BYTES:
        raise BadAnswer(
            f"decisions have {size} characters as JSON, and may have"
            f" {MAX_DECISIONS_BYTES}"
        )
    return found
