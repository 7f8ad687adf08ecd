"""``stack generate``: a template of existing physical resources."""

import argparse
import json

from orchclient.commands import base
from orchclient.commands import output_files
from orchclient.console import exit_codes


class Generate(base.Document):
    """Write a template of existing physical resources, to adopt them with."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the physical resources."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--physical-resource",
            action="append",
            default=[],
            metavar="[NAME=]TYPE/ID",
            help="for example OS::Neutron::Net/8f3c…; repeat it for more",
        )
        parser.add_argument(
            "--list",
            action="append",
            default=[],
            metavar="TYPE[,name=PATTERN][,tag=TAG]",
            help="all resources of a type, or those of a name or tag",
        )
        parser.add_argument(
            "--data",
            metavar="FILE",
            help="write there what stack adopt takes",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the template; report what was omitted."""
        resources = [
            _physical_resource(each) for each in parsed_args.physical_resource
        ]
        listings = [_listing(each) for each in parsed_args.list]
        if not resources and not listings:
            raise exit_codes.UsageError(
                "Name resources: --physical-resource, or --list."
            )
        found = self.client.adoption.generate(resources, listings)
        if parsed_args.data is not None:
            output_files.write_secret_file(
                parsed_args.data,
                json.dumps(found.data, indent=2, ensure_ascii=False) + "\n",
            )
        self.write(parsed_args, found.template)
        for each in found.omitted:
            self.hint(
                f"left out: {each.type} {each.resource_id}: {each.reason}"
            )
        return exit_codes.Exit.DONE


def _physical_resource(words: str) -> dict[str, str]:
    name, sign, rest = words.partition("=")
    if not sign or "/" in name:
        name, rest = "", words
    kind, slash, resource_id = rest.partition("/")
    if not kind or not slash or not resource_id:
        raise exit_codes.UsageError(f"{words!r} must be [NAME=]TYPE/ID.")
    found = {"type": kind, "resource_id": resource_id}
    return {**found, "name": name} if name else found


def _listing(words: str) -> dict[str, str]:
    kind, *parts = words.split(",")
    found = {"type": kind}
    for each in parts:
        key, sign, value = each.partition("=")
        if key not in ("name", "tag") or not sign:
            raise exit_codes.UsageError(
                f"{words!r} must be TYPE, and perhaps ,name=… and ,tag=…"
            )
        found[key] = value
    return found
