"""``drift``, and the commands about policies, acceptance and pauses of it."""

import argparse
import pathlib
import re
import shlex
import typing

import yaml

from orchclient import drift
from orchclient.commands import base
from orchclient.console import drift_report
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import output_formats

_ESCAPED: typing.Final = re.compile(r"\\([:\\])")
_COLON: typing.Final = re.compile(r"\\[:\\]|(:)")
_CODES: typing.Final = {
    drift.DRIFTED: exit_codes.Exit.DRIFTED,
    drift.UNKNOWN: exit_codes.Exit.UNKNOWN,
}


class Show(base.AboutStack):
    """Show the drift of a stack since its last change.

    Exits with 0 where all is in sync, with 13 where anything has drifted, and
    with 14 where nothing is known to, but not all is known.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is observed, and how it is shown."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--refresh",
            action="store_true",
            help="look now, and wait for what is seen; otherwise what was"
            " seen last is shown",
        )
        parser.add_argument(
            "--wait-timeout",
            type=float,
            metavar="SECONDS",
            help="of --refresh: wait no longer (exit code 10)",
        )
        parser.add_argument(
            "--state",
            action="append",
            default=[],
            choices=drift.STATES,
            help="only resources that are so; give it again for more",
        )
        parser.add_argument(
            "-f",
            "--format",
            choices=("tree", "json"),
            default="tree",
            help="a tree for people, or the report as it is",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Show it."""
        stack = self.client.stacks.identify(parsed_args.stack)
        if parsed_args.refresh:
            report = self.client.drift.refresh(
                stack,
                states=parsed_args.state,
                timeout_s=parsed_args.wait_timeout,
            )
        else:
            report = self.client.drift.show(stack, states=parsed_args.state)
        if parsed_args.format == "json":
            self.say(output_formats.document_text(dict(report.body), "json"))
        else:
            drift_report.write_lines(
                self.out, drift_report.report_lines(stack.name, report)
            )
            self._advise(stack.name, report)
        return _CODES.get(report.state, exit_codes.Exit.DONE)

    def _advise(self, stack: str, report: drift.Report) -> None:
        if report.state != drift.DRIFTED:
            return
        name = shlex.quote(stack)
        for words, why in (
            (f"stack update --converge {name}", "put it back"),
            (f"drift accept {name}", "leave it, and call it right"),
            (f"drift template {name}", "a template in which it is wanted"),
        ):
            self.hint(f"  {self.program} {words}  # {why}")


class Policy(base.AboutStack, base.Document):
    """Show or set the drift policy of a stack.

    A POLICY is report, repair, accept, adopt or ignore. A PATTERN is a path
    of names, such as web/server, with * for any text.
    """

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the policy."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--set",
            dest="default",
            choices=drift.POLICIES,
            metavar="POLICY",
            help="about what no pattern names",
        )
        parser.add_argument(
            "--resource",
            action="append",
            default=[],
            metavar="PATTERN=POLICY",
            help="about these resources; an empty POLICY forgets what was"
            " said of them",
        )
        parser.add_argument(
            "--property",
            action="append",
            default=[],
            metavar="PATTERN:NAME=POLICY",
            help="about a property of these resources, or a place in it as"
            " reports show it; write \\: for a colon in PATTERN or NAME",
        )
        parser.add_argument(
            "--file",
            metavar="FILE",
            help="begin with the policy in this file, YAML or JSON, not with"
            " what is said now",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write it."""
        stack = self.client.stacks.identify(parsed_args.stack)
        is_said = (
            parsed_args.default
            or parsed_args.resource
            or parsed_args.property
            or parsed_args.file
        )
        if not is_said:
            return self.write(parsed_args, self.client.drift.policy(stack))
        before = (
            _read(parsed_args.file)
            if parsed_args.file
            else self.client.drift.policy(stack)
        )
        combined = _combined(before, parsed_args)
        return self.write(
            parsed_args, self.client.drift.set_policy(stack, combined)
        )


class Accept(base.AboutStack):
    """Accept the observed drift as the new desired state."""

    can_override = True

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the resources."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "path",
            metavar="PATH[:NAME]",
            nargs="*",
            help="of a resource, web/server, or with :NAME only of one of its"
            " properties, or of a place in it as reports show it; write \\:"
            " for a colon in PATH or NAME; without any, all that have"
            " drifted",
        )
        parser.add_argument(
            "--property",
            action="append",
            default=[],
            metavar="PATH:NAME",
            help="another form of PATH:NAME",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Accept it; write the paths."""
        paths: list[str] = []
        properties: dict[str, list[str]] = {}
        for text in parsed_args.path:
            path, name = _split_place(text, "PATH[:NAME]")
            if name is None:
                paths.append(path)
            else:
                properties.setdefault(path, []).append(name)
        for text in parsed_args.property:
            path, name = _split_property(text, "PATH:NAME")
            properties.setdefault(path, []).append(name)
        found = self.client.drift.accept(
            parsed_args.stack, paths or None, properties=properties
        )
        for each in found:
            self.say(each)
        if not found:
            self.hint("Nothing that was seen has drifted.")
        return exit_codes.Exit.DONE


class UndoAccept(base.AboutStack):
    """Undo the acceptance of drift: the baseline of before is in force again.

    It is refused for resources that the stack has changed since.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the resources."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "path",
            metavar="PATH",
            nargs="*",
            help="of a resource, web/server; without any, all whose"
            " acceptance can be undone",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Undo it; write the paths."""
        found = self.client.drift.undo_accept(
            parsed_args.stack, parsed_args.path or None
        )
        for each in found:
            self.say(each)
        if not found:
            self.hint("There is no acceptance that can be undone.")
        return exit_codes.Exit.DONE


class History(base.StackLister):
    """List what has drifted in a stack, and how it ended."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add how many entries are listed."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--limit", type=int, metavar="NUMBER", help="so many at most"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return it, the newest entry first."""
        rows = (
            (
                formatting.time_text(each.found_at),
                each.path,
                each.property or "(vanished)",
                drift_report.value_text(each.expected),
                drift_report.value_text(each.live),
                each.found_by,
                each.ended_by or "(lasts)",
                formatting.time_text(each.ended_at),
            )
            for each in self.client.drift.history(
                parsed_args.stack, limit=parsed_args.limit
            )
        )
        columns = (
            *("Found", "Resource", "Property", "Expected", "Live"),
            *("Found by", "Ended by", "Ended"),
        )
        return columns, rows


class Template(base.AboutStack):
    """Write a template that declares the observed drift."""

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the template; report changes that it cannot declare."""
        found = self.client.drift.template(parsed_args.stack)
        print(found.template, end="", file=self.out, flush=True)
        for each in found.omitted:
            name = f"{each.path}.{each.property}" if each.property else ""
            self.hint(f"Left out: {name or each.path}: {each.reason}")
        return exit_codes.Exit.DONE


class _AboutProject(base.Base):
    """A command about the observer of the project, or of all."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add whose it is."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--all-projects",
            action="store_true",
            help="of all projects; for administrators",
        )
        return parser

    def _show(self, pause: drift.Pause) -> int:
        for line in drift_report.pause_lines(
            pause.paused_at, pause.repairs_stopped_at
        ):
            self.say(line.text)
        if pause.paused_at is None and pause.repairs_stopped_at is None:
            self.say("The observer is not paused.")
        elif pause.is_of_all:
            self.hint("It is paused for all projects.")
        return exit_codes.Exit.DONE


class Pause(_AboutProject):
    """Let the observer pause: it observes and repairs nothing.

    Observations on request, and operations in progress, go on.
    """

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Pause it."""
        return self._show(
            self.client.drift.pause(all_projects=parsed_args.all_projects)
        )


class Resume(_AboutProject):
    """Let the observer go on, and stopped repairs too.

    What has vanished by now is then repaired, however much it is.
    """

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Resume it."""
        return self._show(
            self.client.drift.resume(all_projects=parsed_args.all_projects)
        )


def _read(path: str) -> drift.Policy:
    """Return the policy in a file.

    :raises exits.UsageError: there is none
    """
    try:
        found = yaml.safe_load(pathlib.Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise exit_codes.UsageError(
            f"{path} cannot be read: {error}"
        ) from error
    if not isinstance(found, dict):
        raise exit_codes.UsageError(f"{path} holds no map.")
    return found


def _combined(
    before: drift.Policy, parsed_args: argparse.Namespace
) -> drift.Policy:
    """Return a policy changed as the command line says."""
    combined: dict[str, object] = dict(before)
    if parsed_args.default:
        combined["stack"] = parsed_args.default
    resources = {
        pattern: dict(each)
        for pattern, each in _map(combined.get("resources")).items()
        if isinstance(each, dict)
    }
    for text in parsed_args.resource:
        pattern, policy = _split(text, "PATTERN=POLICY")
        if policy:
            resources.setdefault(pattern, {})["policy"] = policy
        else:
            resources.pop(pattern, None)
    for text in parsed_args.property:
        place, policy = _split(text, "PATTERN:NAME=POLICY")
        pattern, name = _split_property(place, "PATTERN:NAME")
        if not policy:
            raise exit_codes.UsageError(f"{text} is not PATTERN:NAME=POLICY.")
        said = resources.setdefault(pattern, {})
        said["properties"] = {**_map(said.get("properties")), name: policy}
    combined["resources"] = resources
    return combined


def _split(text: str, form: str) -> tuple[str, str]:
    place, equals, policy = text.rpartition("=")
    if not equals or not place:
        raise exit_codes.UsageError(f"{text} is not {form}.")
    if policy and policy not in drift.POLICIES:
        known = ", ".join(drift.POLICIES)
        raise exit_codes.UsageError(f"{policy} is none of {known}.")
    return place, policy


def _split_place(text: str, form: str) -> tuple[str, str | None]:
    r"""Return a path, and the name after the last colon without backslash.

    ``\:`` is a colon of the path or the name, ``\\`` a backslash.

    :returns: no name where there is no such colon
    :raises exit_codes.UsageError: the path or the name is empty
    """
    colons = [each.start() for each in _COLON.finditer(text) if each[1]]
    parts = [text]
    if colons:
        parts = [text[: colons[-1]], text[colons[-1] + 1 :]]
    if not all(parts):
        raise exit_codes.UsageError(
            f"{text} is not {form}: write \\: for a colon of its own."
        )
    path, *names = (_ESCAPED.sub(r"\1", each) for each in parts)
    return path, names[0] if names else None


def _split_property(text: str, form: str) -> tuple[str, str]:
    """Return a path and a name, as :func:`_split_place`.

    :raises exit_codes.UsageError: one of them is missing
    """
    path, name = _split_place(text, form)
    if name is None:
        raise exit_codes.UsageError(f"{text} is not {form}: it has no name.")
    return path, name


def _map(value: object) -> dict[str, typing.Any]:
    return dict(value) if isinstance(value, dict) else {}
