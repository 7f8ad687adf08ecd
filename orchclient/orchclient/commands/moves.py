"""``move``: transfers resources from one stack to another."""

import argparse

from orchclient import models
from orchclient import packaging
from orchclient import plan_diff
from orchclient.commands import base
from orchclient.console import exit_codes
from orchclient.console import progress


class Move(base.Running):
    """Move resources to another stack; physical resources do not change."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add both stacks, and the resources to move."""
        parser = super().get_parser(prog_name)
        parser.add_argument("stack", metavar="SOURCE", help="name or id")
        parser.add_argument(
            "target",
            metavar="TARGET",
            help="name or id, or the path to a child stack, site/web",
        )
        parser.add_argument(
            "resource",
            metavar="RESOURCE[=NEW_NAME]",
            nargs="+",
            help="what goes, and how it is called there",
        )
        parser.add_argument(
            "--source-template",
            metavar="FILE",
            help="the template of the source, or of its root stack, from"
            " then on; by default the client writes both templates",
        )
        parser.add_argument(
            "--target-template",
            metavar="FILE",
            help="the template of the target, or of its root stack, from"
            " then on; needed with --source-template, unless both stacks"
            " have the same root",
        )
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="show what both stacks would do; nothing moves",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Move, and follow both stacks, one after the other."""
        self.about(parsed_args.stack)
        client = self.client
        names = dict(_names(each) for each in parsed_args.resource)
        source = client.stacks.identify(parsed_args.stack)
        target: models.Which = parsed_args.target
        known = [source]
        if "/" not in parsed_args.target:
            known.append(client.stacks.identify(parsed_args.target))
            target = known[-1]
        inputs = {
            "source_inputs": _inputs(parsed_args.source_template),
            "target_inputs": _inputs(parsed_args.target_template),
        }
        if parsed_args.dry_run:
            shown = client.moves.preview(source, target, names, **inputs)
            for name, plan in (
                (source.name, shown.source),
                (known[-1].name if known[1:] else target, shown.target),
            ):
                self.say(f"{name}:")
                self.say(plan_diff.plan_text(plan))
            return exit_codes.Exit.DONE
        before = {
            each.id: progress.mark_position(client, each) for each in known
        }
        moved = client.moves.move(source, target, names, **inputs)
        for side in moved.updates:
            mark = before.get(side.stack.id)
            if mark is None:
                # An outermost stack, known by the answer alone.
                newest = progress.mark_position(client, side.stack)
                mark = progress.Mark(event_id=newest.event_id)
            code = self.see(parsed_args, side.stack, mark, side.operation_id)
            if code != exit_codes.Exit.DONE:
                return code
        return exit_codes.Exit.DONE


def _names(text: str) -> tuple[str, str]:
    old, sign, new = text.partition("=")
    if not old or (sign and not new):
        raise exit_codes.UsageError(f"{text!r} must be NAME or NAME=NEW_NAME.")
    return old, new or old


def _inputs(file: str | None) -> dict[str, object] | None:
    """Return a template with the files that it includes, for a request."""
    return None if file is None else packaging.collect_package(file).body()
