"""``graph``, ``timeline`` and ``logs``: the history of a stack."""

import argparse
import collections.abc
import dataclasses
import datetime
import typing

from orchclient import graph_drawing
from orchclient import models
from orchclient import operations
from orchclient.commands import base
from orchclient.commands import output_files
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import json_lines
from orchclient.console import plain
from orchclient.console import progress
from orchclient.console import progress_events
from orchclient.console import trees

_BAR = 40
_COLOURS: typing.Final = {
    "COMPLETE": ("#d9f2d9", "#2e7d32"),
    "FAILED": ("#f9d6d5", "#c62828"),
    "IN_PROGRESS": ("#fff3cd", "#b8860b"),
}
_OTHER: typing.Final = ("#eeeeee", "#777777")


class Graph(base.AboutStack):
    """Draw the dependencies of a stack's resources, and their states."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the file and the format of the drawing."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "-f",
            "--format",
            choices=("dot", "svg"),
            help="by default as the file's name ends, else dot",
        )
        parser.add_argument(
            "-o", "--output", metavar="FILE", help="instead of standard output"
        )
        base.add_nested_depth(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Draw it."""
        stack = self.client.stacks.identify(parsed_args.stack)
        found = self.client.resources.list(
            stack, nested_depth=parsed_args.nested_depth
        )
        current = [each for each in found if not each.is_replaced]
        graph = graph_of(stack.name, trees.build_tree(current, stack))
        target = parsed_args.output
        kind = parsed_args.format
        if kind is None:
            kind = "svg" if (target or "").endswith(".svg") else "dot"
        text = (
            graph_drawing.draw_svg(graph)
            if kind == "svg"
            else graph_drawing.draw_dot(graph)
        )
        if target is None:
            self.out.write(text)
            return exit_codes.Exit.DONE
        output_files.write_file(target, text)
        return exit_codes.Exit.DONE


def graph_of(name: str, nodes: tuple[trees.Node, ...]) -> graph_drawing.Graph:
    """Return resources as boxes, with arrows to their dependents."""
    boxes = []
    edges: list[tuple[str, str]] = []
    for root in nodes:
        for node in root.walk():
            found = node.resource
            fill, stroke = _COLOURS.get(found.status.state, _OTHER)
            if found.status.action == "INIT":
                fill, stroke = _OTHER
            key = formatting.path_text(node.path)
            note = f"{found.type} · {found.status}"
            boxes.append(graph_drawing.Node(key, key, note, fill, stroke))
            edges.extend(
                (key, formatting.path_text((*node.path[:-1], later)))
                for later in found.required_by
            )
            edges.extend(
                (key, formatting.path_text(child.path))
                for child in node.children
            )
    return graph_drawing.Graph(name, boxes, edges)


@dataclasses.dataclass(frozen=True, slots=True)
class _Span:
    """When an operation worked on a resource."""

    path: tuple[str, ...]
    status: models.Status
    begun: datetime.datetime
    ended: datetime.datetime


class Timeline(base.StackLister):
    """Show what ran when in an operation of a stack."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the operation."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--operation", metavar="ID", help="by default the newest"
        )
        base.add_nested_depth(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each resource, the first one started first."""
        client = self.client
        stack = client.stacks.identify(parsed_args.stack)
        chosen = parsed_args.operation
        if chosen is None:
            latest = client.operations.find_latest(stack)
            if latest is None:
                raise exit_codes.UsageError(f"{stack.name} has no operations.")
            chosen = latest.id
        operation = client.operations.show(stack, chosen)
        now = datetime.datetime.now(datetime.UTC)
        spans = sorted(
            self._spans(operation, now, (), parsed_args.nested_depth),
            # Of one second, they stay as they were told: by their beginning.
            key=lambda span: span.begun,
        )
        start = min((each.begun for each in spans), default=now)
        whole = max((each.ended for each in spans), default=now) - start
        columns = ["Resource", "Status", "Started", "Offset (s)", "Took (s)"]
        is_drawn = parsed_args.formatter == "table"
        if is_drawn:
            columns.append(f"{operation.action} {operation.state}")
        rows = []
        for each in spans:
            before, during = each.begun - start, each.ended - each.begun
            row: list[object] = [
                formatting.path_text(each.path),
                str(each.status),
                formatting.time_text(each.begun),
                before.total_seconds(),
                during.total_seconds(),
            ]
            if is_drawn:
                row.append(draw_bar(before, during, whole))
            rows.append(row)
        return columns, rows

    def _spans(
        self,
        operation: operations.Operation,
        now: datetime.datetime,
        outer: tuple[str, ...],
        depth: int,
    ) -> collections.abc.Iterator[_Span]:
        """Yield what ran; what still runs, until now.

        :param depth: so many levels of stacks in the stack too
        """
        nested: dict[str, models.StackIdentity] = {}
        if depth > 0:
            nested = {
                each.name: each.nested
                for each in self.client.resources.list(operation.stack)
                if each.nested is not None
            }
        for each in operation.resources or ():
            if each.started_at is None:
                continue
            path = (*outer, each.name)
            ended = each.finished_at or now
            yield _Span(path, each.status, each.started_at, ended)
            inner = nested.get(each.name)
            if inner is None:
                continue
            # Moments are told in whole seconds.
            for child_operation in self.client.operations.list(inner):
                if each.started_at <= child_operation.created_at <= ended:
                    shown = self.client.operations.show(
                        inner, child_operation.id
                    )
                    yield from self._spans(shown, now, path, depth - 1)


def draw_bar(
    before: datetime.timedelta,
    during: datetime.timedelta,
    whole: datetime.timedelta,
) -> str:
    """Return a span of time drawn in proportion to the whole."""
    total = whole.total_seconds()
    if total <= 0:
        return "█"
    left = round(before.total_seconds() / total * (_BAR - 1))
    length = round(during.total_seconds() / total * (_BAR - 1))
    return " " * left + "█" * max(1, min(length + 1, _BAR - left))


class Logs(base.AboutStack):
    """Show the events of a stack; go on with --follow."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which events."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--follow",
            action="store_true",
            help="go on with what happens, until Ctrl-C",
        )
        parser.add_argument(
            "--resource",
            metavar="NAME",
            help="only what is of this one: its path, group/0/server",
        )
        parser.add_argument(
            "-f",
            "--format",
            choices=("plain", "json"),
            default="plain",
            help="lines for people, or one JSON object a line",
        )
        return parser

    def run(self, parsed_args: argparse.Namespace) -> int:
        """Run the command; return its exit code."""
        self._reports_json = parsed_args.format == "json"
        return super().run(parsed_args)

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Show events."""
        client = self.client
        stack = client.stacks.identify(parsed_args.stack)
        follower = progress.Follower(client, plain.View(self.out), stack)
        try:
            if not parsed_args.follow:
                for progress_event in follower.events():
                    self._show_event(parsed_args, stack, progress_event)
                return exit_codes.Exit.DONE
            for event in client.events.follow(stack, nested_depth=trees.DEPTH):
                placed = follower.placed(event)
                if placed is not None:
                    self._show_event(parsed_args, stack, placed)
        except KeyboardInterrupt:
            return exit_codes.Exit.DETACHED
        return exit_codes.Exit.DONE

    def _show_event(
        self,
        parsed_args: argparse.Namespace,
        stack: models.StackIdentity,
        progress_event: progress_events.ProgressEvent,
    ) -> None:
        only_path = parsed_args.resource
        if (
            only_path is not None
            and formatting.path_text(progress_event.path) != only_path
        ):
            return
        if parsed_args.format == "json":
            reported = {
                "kind": "event",
                **json_lines.event_object(progress_event),
            }
            json_lines.write_line(self.out, reported)
        else:
            self.say(plain.event_line(stack.name, progress_event))
