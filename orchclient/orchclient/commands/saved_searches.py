"""``search save``, ``saved``, ``run`` and ``forget``: searches with names."""

import argparse

from orchclient.commands import base
from orchclient.commands import search
from orchclient.commands import search_arguments
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import highlighting


class Save(base.Base):
    """Save a search under a name, for later runs."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the name, and what is searched for."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        search_arguments.add_query(parser)
        search_arguments.add_limit(parser, None)
        search_arguments.add_counts(parser)
        search_arguments.add_histogram(parser)
        parser.add_argument("--description", default="", help="of the search")
        _add_shared(parser)
        parser.add_argument(
            "--replace",
            action="store_true",
            help="replace the search that has the name",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Save it."""
        saved = self.client.search.save(
            parsed_args.name,
            search_arguments.compose_query(parsed_args),
            description=parsed_args.description,
            is_shared=parsed_args.shared,
            is_replacing=parsed_args.replace,
            **search_arguments.compose_request(parsed_args),
        )
        self.hint(f"Saved. To run it: orch search run {saved.name}")
        return exit_codes.Exit.DONE


class List(base.Lister):
    """List your saved searches, and those that the project shares."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each."""
        rows = (
            (
                each.name,
                each.is_shared,
                highlighting.clean_text(str(each.search.get("q", ""))),
                highlighting.clean_text(each.description),
                formatting.time_text(each.saved_at),
            )
            for each in self.client.search.list_saved()
        )
        return ("Name", "Shared", "Query", "Description", "Saved"), rows


class Show(base.ShowOne):
    """Show a saved search."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the name."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return all that was saved."""
        found = self.client.search.find_saved(parsed_args.name)
        return self.displayed(
            {
                "name": found.name,
                "is_shared": found.is_shared,
                "description": highlighting.clean_text(found.description),
                "search": dict(found.search),
                "saved_by": highlighting.clean_text(found.saved_by),
                "saved_at": formatting.time_text(found.saved_at),
            }
        )


class Run(search.Hits):
    """Run a saved search; options replace what was saved."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the name, and what may be replaced."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        search_arguments.add_kind(parser)
        search_arguments.add_time(parser, "--as-of", "the state at that time")
        search_arguments.add_sort(parser, "as saved")
        search_arguments.add_page(parser)
        search_arguments.add_all_projects(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each hit."""
        found = self.client.search.run_saved(
            parsed_args.name,
            cursor=parsed_args.cursor,
            **search_arguments.compose_request(parsed_args),
        )
        return self.rows_of(parsed_args, found)


class Forget(base.Base):
    """Delete a saved search."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the name."""
        parser = super().get_parser(prog_name)
        _add_name(parser)
        _add_shared(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Delete it."""
        self.client.search.forget_saved(
            parsed_args.name, is_shared=parsed_args.shared
        )
        return exit_codes.Exit.DONE


def _add_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the saved search")


def _add_shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--shared",
        action="store_true",
        help="for all users of the project, not for you alone",
    )
