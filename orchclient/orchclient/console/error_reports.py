"""Reports of errors: cause, place, and the command to type next."""

import collections.abc
import dataclasses
import shlex

from orchclient import errors
from orchclient import operation_errors
from orchclient import operations
from orchclient import packaging
from orchclient import push_errors
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import source_lines

_MAX_FAILURES = 10
_OTHER_FAILED = "orch.stack.other_action_failed"


@dataclasses.dataclass(frozen=True, slots=True)
class Situation:
    """The subject of a command that failed: program, stack and package.

    :ivar program: what users type: ``orch`` or ``openstack orch``
    :ivar stack: name or id; empty where there is none
    :ivar package: what was sent, if anything was
    """

    program: str
    stack: str = ""
    package: packaging.Package | None = None

    def command(self, words: str) -> str:
        """Return a command about the stack, ready to type."""
        return f"{self.program} {words} {shlex.quote(self.stack)}"

    def place(self, file: str, line: int) -> str:
        """Return file and line, as compilers write them; may be empty."""
        places = {} if self.package is None else self.package.places
        if not line:
            return places.get(file, file) if file else ""
        return f"{places.get(file, file or 'template')}:{line}"

    def declaration(self, path: tuple[str, ...]) -> str:
        """Return file and line that declare a resource; may be empty."""
        if self.package is None:
            return ""
        found = source_lines.find_declaration(self.package, path)
        return "" if found is None else f"{found[0]}:{found[1]}"


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """The report of one error: message, causes and next steps.

    :ivar causes: what is wrong in detail, the root cause first
    :ivar steps: a command, and what it is for
    """

    message: str
    code: exit_codes.Exit
    causes: tuple[dict[str, object], ...] = ()
    steps: tuple[tuple[str, str], ...] = ()
    request_id: str = ""

    def lines(self) -> list[str]:
        """Return the report as lines for users."""
        found = [f"Error: {self.message}"]
        for number, cause in enumerate(self.causes[:_MAX_FAILURES]):
            head = f" {cause['where']}" if cause["where"] else ""
            if cause.get("type"):
                head += f" ({cause['type']})"
            if cause.get("place"):
                head += f" at {cause['place']}"
            mark = "  root cause:" if _is_root(self, number) else " "
            found.append(mark + head)
            reason = str(cause["reason"]).splitlines() or [""]
            found.extend(f"      {line}" for line in reason)
            if cause.get("advice"):
                found.append(f"      {cause['advice']}")
        more = len(self.causes) - _MAX_FAILURES
        if more > 0:
            found.append(f"  and {more} more")
        if self.request_id:
            found.append(f"  request id: {self.request_id}")
        if self.steps:
            found.append("Next:")
            width = max(len(command) for command, _ in self.steps)
            found.extend(
                f"  {command:<{width}}  # {why}" for command, why in self.steps
            )
        return found

    def document(self) -> dict[str, object]:
        """Return the report as a map for programs."""
        return {
            "kind": "error",
            "message": self.message,
            "exit_code": int(self.code),
            "causes": [dict(each) for each in self.causes],
            "next": [command for command, _ in self.steps],
            "request_id": self.request_id or None,
        }


def report_of(error: Exception, situation: Situation) -> Report:
    """Return the report of an error."""
    code = exit_codes.exit_code_of(error)
    if isinstance(error, push_errors.PushError):
        return _of_push(error, situation, code)
    if isinstance(error, operation_errors.OperationError):
        return _of_operation(error, situation, code)
    if isinstance(error, operation_errors.WaitTimeoutError):
        step = (situation.command("attach"), "go on waiting")
        return Report(str(error), code, steps=(step,))
    if isinstance(error, operation_errors.OperationHeldError):
        return _of_hold(error, situation, code)
    if isinstance(error, errors.ApiError):
        return Report(
            error.message,
            code,
            causes=tuple(_problem(each, situation) for each in error.problems),
            steps=_steps(error, situation),
            request_id=error.request_id,
        )
    return Report(str(error), code, steps=_steps(error, situation))


def _of_push(
    error: push_errors.PushError, situation: Situation, code: exit_codes.Exit
) -> Report:
    cause = error.__cause__
    if not isinstance(cause, errors.Error):
        return Report(str(error), code)
    # What to do is said once: other steps are for the source.
    found = report_of(cause, situation)
    return dataclasses.replace(found, message=str(error), steps=())


def _of_hold(
    error: operation_errors.OperationHeldError,
    situation: Situation,
    code: exit_codes.Exit,
) -> Report:
    held = error.operation
    outer = dataclasses.replace(situation, stack=held.stack.name)
    named = dataclasses.replace(situation, stack=held.open_holds[0].which)
    steps = (
        (named.command("stack approve"), "let it go on"),
        (named.command("stack reject"), "let it fail, with nothing touched"),
        (outer.command("attach"), "wait for the answer, and follow it"),
    )
    return Report(str(error), code, steps=steps)


def _of_operation(
    error: operation_errors.OperationError,
    situation: Situation,
    code: exit_codes.Exit,
) -> Report:
    ended = error.operation
    named = dataclasses.replace(situation, stack=ended.stack.name)
    what = f"{ended.action} of {ended.stack.name}"
    if code is exit_codes.Exit.SUPERSEDED:
        step = (named.command("attach"), "follow the newer operation")
        return Report(str(error), code, steps=(step,))
    message = f"{what} failed"
    if ended.total:
        message += f", {ended.done} of {ended.total} resources are done"
    causes = tuple(_failure(each, named) for each in error.failures)
    if not causes:
        causes = ({"where": "", "reason": ended.reason, "path": []},)
    steps = (
        *_answers(error.failures, named),
        (named.command("retry"), "go on where it stopped, once it is mended"),
        (named.command("logs"), "all that has happened"),
    )
    # One that never started has left the stack as it was.
    if ended.total:
        give_up = "give up, remove what is there"
        steps += ((named.command("stack delete"), give_up),)
    return Report(message, code, causes, steps)


def _answers(
    failures: collections.abc.Iterable[operations.Failure],
    situation: Situation,
) -> tuple[tuple[str, str], ...]:
    """Return the commands for the first unknown outcome, if there is one."""
    for each in failures:
        if each.is_outcome_unknown:
            path = shlex.quote("/".join(each.path))
            command = f"{situation.command('resource outcome')} {path}"
            return (
                (f"{command} --is ID", "its id, if its service has it"),
                (f"{command} --not-made", "its service does not have it"),
            )
    return ()


def _failure(
    failure: operations.Failure, situation: Situation
) -> dict[str, object]:
    return {
        "where": formatting.path_text(failure.path) or failure.stack.name,
        "path": list(failure.path),
        "type": failure.type,
        "reason": failure.reason,
        "place": situation.place(failure.file, failure.line)
        or situation.declaration(failure.path),
        "physical_id": failure.physical_id,
    }


def _problem(
    problem: errors.Problem, situation: Situation
) -> dict[str, object]:
    place = situation.place(problem.file, problem.line)
    if problem.line and problem.column:
        place += f":{problem.column}"
    return {
        "where": problem.path,
        "reason": problem.message,
        "advice": problem.advice,
        "place": place,
    }


def _steps(
    error: Exception, situation: Situation
) -> tuple[tuple[str, str], ...]:
    program = situation.program
    has_stack = bool(situation.stack)
    if isinstance(error, errors.NotFoundError):
        return ((f"{program} stack list", "what there is"),)
    if isinstance(error, errors.ConflictError) and has_stack:
        if error.code == _OTHER_FAILED:
            return ((situation.command("retry"), "go on with what failed"),)
        return (
            (situation.command("stack show"), "its state"),
            (situation.command("attach"), "follow the operation in progress"),
        )
    if isinstance(error, errors.ConnectError | errors.LoginError):
        return (
            (
                f"{program} --os-cloud NAME stack list",
                "with an entry of clouds.yaml",
            ),
            (
                f"{program} --os-auth-type none --os-endpoint"
                " http://127.0.0.1:8004/v1/demo stack list",
                "an orch-all on this machine",
            ),
        )
    return ()


def _is_root(report: Report, number: int) -> bool:
    return number == 0 and report.code is exit_codes.Exit.FAILED
