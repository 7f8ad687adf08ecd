"""``template …`` and ``resource type …``: the template language."""

import argparse

from orchclient.commands import base
from orchclient.commands import stack_arguments


class Validate(base.Document):
    """Check a template; write what it declares."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the template, and what comes with it."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "source",
            metavar="DIR|TEMPLATE",
            help="a directory with a template, a file, or a URL",
        )
        stack_arguments.add_documents(parser)
        parser.add_argument(
            "--show-nested",
            action="store_true",
            help="include the templates of child stacks too",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Check it."""
        package = stack_arguments.package_of(parsed_args, parsed_args.source)
        self.about("", package)
        found = self.client.templates.validate(
            package,
            parameters=stack_arguments.parameters(parsed_args) or None,
            show_nested=parsed_args.show_nested,
            files_container=parsed_args.files_container,
        )
        return self.write(parsed_args, found)


class VersionList(base.Lister):
    """List the versions of the template language."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        rows = (
            (each.name, each.language, ", ".join(each.aliases))
            for each in self.client.templates.versions()
        )
        return ("Version", "Language", "Aliases"), rows


class FunctionList(base.Lister):
    """List the functions of a version of the template language."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the version."""
        parser = super().get_parser(prog_name)
        parser.add_argument("version", metavar="VERSION", help="its name")
        parser.add_argument(
            "--with-conditions",
            action="store_true",
            help="those of conditions too",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.templates.functions(
            parsed_args.version, with_conditions=parsed_args.with_conditions
        )
        rows = ((each.name, each.description) for each in found)
        return ("Function", "Description"), rows


class TypeList(base.Lister):
    """List the resource types that the service knows."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add which ones."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--name", metavar="PATTERN", help="a regular expression"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.resource_types.list(name=parsed_args.name)
        return ("Type",), ((each,) for each in found)


class TypeShow(base.Document):
    """Write properties and attributes of a type, or a template with it."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the type, and the format."""
        parser = super().get_parser(prog_name)
        parser.add_argument("type", metavar="TYPE", help="its name")
        parser.add_argument(
            "--template",
            choices=("hot", "cfn"),
            help="write a template with one resource of it",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write them."""
        types = self.client.resource_types
        if parsed_args.template is None:
            found = types.show(parsed_args.type)
        else:
            found = types.template(parsed_args.type, parsed_args.template)
        return self.write(parsed_args, found)
