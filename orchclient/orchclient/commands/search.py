"""``search …``: searches what is deployed."""

import argparse
import collections.abc
import datetime
import functools
import json
import re
import typing

from orchclient import errors
from orchclient import search
from orchclient import search_results
from orchclient.commands import base
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import highlighting
from orchclient.console import output_formats

_SPECIAL: typing.Final = re.compile(r'([\\"()\s])')
_EITHER: typing.Final = re.compile(r"(^|[\s()])(OR|\|\|)($|[\s()])")


class Query(base.Lister):
    """Find stacks at any depth, and their resources.

    A QUERY has words, "phrases", prefixes (serv*), fields
    (type:OS::Nova::Server, status:failed, path:*/db/*, flavor:m1.large),
    ranges (size:[1 TO 5]), and AND, OR, NOT.
    """

    _found: search_results.Found
    _query_text = ""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is searched for, and what is shown."""
        parser = super().get_parser(prog_name)
        _add_query(parser)
        parser.add_argument(
            "--limit", type=int, default=20, metavar="NUMBER", help="hits"
        )
        parser.add_argument(
            "--cursor", help="go on behind the hit that has it"
        )
        parser.add_argument(
            "--facet",
            action="append",
            default=[],
            metavar="FIELD",
            help="count the values of a field; FIELD:NUMBER of them; again"
            " for more",
        )
        parser.add_argument(
            "--stats",
            action="append",
            default=[],
            metavar="FIELD",
            help="sum up a field of numbers; again for more",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each hit."""
        request: search.SearchRequest = {
            "kinds": parsed_args.kind,
            "sort": parsed_args.sort,
            "limit": parsed_args.limit,
            "facets": parsed_args.facet,
            "statistics": parsed_args.stats,
            "all_projects": parsed_args.all_projects,
        }
        if parsed_args.as_of is not None:
            request["as_of"] = parsed_args.as_of
        self._query_text = compose_query(parsed_args)
        self._found = self.client.search.query(
            self._query_text, cursor=parsed_args.cursor, **request
        )
        is_bold = parsed_args.formatter == "table" and self.out.isatty()
        columns = ["Path", "Type", "Status", "Updated", "Where"]
        if parsed_args.all_projects:
            columns.insert(0, "Project")
        rows = []
        for each in self._found.hits:
            row: list[object] = [
                highlighting.Path(each, is_bold=is_bold),
                highlighting.clean_text(each.type),
                each.status,
                formatting.time_text(each.updated_at or each.created_at),
                highlighting.Where(each, is_bold=is_bold),
            ]
            if parsed_args.all_projects:
                row.insert(0, highlighting.clean_text(each.project_id))
            rows.append(row)
        return columns, rows

    def report(self, error: Exception) -> int:
        """Report an error; point at what is wrong in the query."""
        if isinstance(error, errors.BadRequestError):
            for each in error.problems:
                if each.path == "q" and each.column:
                    self.hint(f"Error: {error.message}")
                    for line in highlighting.point_at(
                        self._query_text, each.column, each.line
                    ):
                        self.hint(line)
                    return int(exit_codes.exit_code_of(error))
        return super().report(error)

    def produce_output(
        self,
        parsed_args: argparse.Namespace,
        column_names: collections.abc.Sequence[str],
        data: collections.abc.Iterable[base.Row],
    ) -> int:
        """Write the rows; with JSON, the whole response."""
        found = self._found
        if parsed_args.formatter == "json":
            self.say(output_formats.document_text(dict(found.body), "json"))
            return exit_codes.Exit.DONE
        code = super().produce_output(parsed_args, column_names, data)
        if parsed_args.formatter == "table":
            self._show_counts(found)
        if found.hint is not None:
            self.hint(found.hint)
        return int(code or exit_codes.Exit.DONE)

    def _show_counts(self, found: search_results.Found) -> None:
        for field, displayed in found.facets.items():
            counts = ", ".join(
                f"{highlighting.clean_text(each.value)} ({each.count})"
                for each in displayed
            )
            self.say(f"{field}: {counts}")
        for field, numbers in found.statistics.items():
            if numbers.count:
                self.say(
                    f"{field}: {numbers.count} numbers,"
                    f" {numbers.least:g} to {numbers.greatest:g},"
                    f" mean {numbers.mean:g}, sum {numbers.total:g}"
                )
        shown = len(found.hits)
        self.hint(f"{found.total} found, {shown} shown.")
        if found.next is not None:
            self.hint(f"The next ones: --cursor {found.next}")


class Export(base.Base):
    """Write all hits of a QUERY, a line of JSON for each."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is searched for."""
        parser = super().get_parser(prog_name)
        _add_query(parser)
        parser.add_argument(
            "--with-texts",
            action="store_true",
            help="templates and events too",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> int:
        """Write the hits as they come."""
        request: search.ExportRequest = {
            "kinds": parsed_args.kind,
            "sort": parsed_args.sort,
            "all_projects": parsed_args.all_projects,
            "with_texts": parsed_args.with_texts,
        }
        if parsed_args.as_of is not None:
            request["as_of"] = parsed_args.as_of
        for each in self.client.search.export(
            compose_query(parsed_args), **request
        ):
            self.say(json.dumps(dict(each.body), ensure_ascii=False))
        return exit_codes.Exit.DONE


class Diff(base.Lister):
    """Show what appeared, went and changed since a time."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is compared, and the times."""
        parser = super().get_parser(prog_name)
        _add_words(parser)
        _add_filters(parser)
        _add_time(parser, "--as-of", "the earlier time", is_required=True)
        _add_time(parser, "--as-of-other", "the later time, by default now")
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each difference."""
        found = self.client.search.diff(
            parsed_args.as_of,
            parsed_args.as_of_other,
            compose_query(parsed_args),
            kinds=parsed_args.kind,
            all_projects=parsed_args.all_projects,
        )
        rows = []
        for each in found:
            hit = each.after or each.before
            if hit is not None:
                rows.append(
                    (
                        each.change,
                        highlighting.clean_text(hit.path),
                        highlighting.clean_text(hit.type),
                        hit.status,
                        highlighting.clean_text(", ".join(each.fields)),
                    )
                )
        return ("Change", "Path", "Type", "Status", "Fields"), rows


class Owner(base.Lister):
    """Find the owner of a physical resource, by its id in the cloud."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the physical resource."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "physical_id",
            metavar="PHYSICAL_ID",
            help="what the cloud calls it",
        )
        _add_all_projects(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return its owners."""
        found = self.client.search.owners(
            parsed_args.physical_id, all_projects=parsed_args.all_projects
        )
        if not found:
            self.hint(f"Nothing that you see has {parsed_args.physical_id}.")
            # What is searched may be a part of all there is.
            hint = self.client.search.query(limit=0).hint
            if hint is not None:
                self.hint(hint)
        rows = (
            (
                highlighting.Path(each),
                highlighting.clean_text(each.type),
                each.status,
                each.project_id,
                each.stack_id,
            )
            for each in found
        )
        return ("Path", "Type", "Status", "Project", "Stack ID"), rows


class Facets(base.Lister):
    """List resource types, their fields and frequent values."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the type, and how many values."""
        parser = super().get_parser(prog_name)
        parser.add_argument(
            "--type", metavar="TYPE", help="only those of this type"
        )
        parser.add_argument(
            "--limit-terms",
            type=int,
            metavar="NUMBER",
            help="values of a field at most",
        )
        _add_all_projects(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each field of each type."""
        found = self.client.search.facets(
            parsed_args.type,
            limit=parsed_args.limit_terms,
            all_projects=parsed_args.all_projects,
        )
        rows = (
            (
                each.resource_type,
                each.type,
                each.name,
                ", ".join(
                    f"{highlighting.clean_text(one.value)}({one.count})"
                    for one in each.options
                ),
            )
            for each in found
        )
        return ("Resource Type", "Type", "Name", "Options"), rows


class Fields(base.Lister):
    """List the fields that can be searched."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add the type."""
        parser = super().get_parser(prog_name)
        _add_kind(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.search.fields(*parsed_args.kind)
        return ("Name", "Type"), ((each.name, each.type) for each in found)


class Plugins(base.Lister):
    """List the kinds of documents that can be searched."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return them."""
        found = self.client.search.plugins()
        rows = ((each.kind, each.type, each.index) for each in found)
        return ("Name", "Type", "Index"), rows


class Status(base.ShowOne):
    """Show the state of the index; for operators."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Facts:
        """Return counts, sizes, and how far a fill is."""
        found = self.client.search.status()
        return self.displayed(
            {
                "stacks": found.stacks,
                "documents": found.documents,
                "pending": found.pending,
                "text_bytes": found.text_bytes,
                "stored_bytes": found.stored_bytes,
                "fill_progress": ""
                if found.fill_progress is None
                else f"{found.fill_progress:.0%}",
                "filled_at": formatting.time_text(found.filled_at),
                "orphans_at": formatting.time_text(found.orphans_at),
                "unlisted_types": {
                    each.type: f"{each.reason} (projects: {each.projects},"
                    f" last at {formatting.time_text(each.at)})"
                    for each in found.unlisted_types
                },
            }
        )


def compose_query(parsed_args: argparse.Namespace) -> str:
    """Return the query that words and options make together.

    What was typed comes first, so that positions in it stay what they are.
    """
    typed = " ".join(parsed_args.query).strip()
    filters = [
        _one_of(field, given)
        for field, given in (
            ("type", parsed_args.type),
            ("status", parsed_args.status),
            ("project", parsed_args.project),
        )
        if given
    ]
    if typed and filters and _EITHER.search(typed):
        typed = f"({typed})"
    return " ".join([*([typed] if typed else ()), *filters])


def _one_of(field: str, given: list[str]) -> str:
    displayed = [_value(each) for each in given]
    return (
        f"{field}:{displayed[0] if len(displayed) == 1 else _any(displayed)}"
    )


def _any(displayed: list[str]) -> str:
    return f"({' OR '.join(displayed)})"


def _value(text: str) -> str:
    """Return a value as the language of queries has it, * being any text."""
    if "*" in text or "?" in text:
        return _SPECIAL.sub(r"\\\1", text)
    return search.quote_phrase(text)


def _parsed(
    parser: argparse.ArgumentParser, given: collections.abc.Sequence[str]
) -> argparse.Namespace:
    """Return what was typed; all behind ``--`` are words."""
    words = list(given)
    end = words.index("--") if "--" in words else len(words)
    found = parser.parse_intermixed_args(words[:end])
    found.query = [*found.query, *words[end + 1 :]]
    return found


def _parse_time(text: str) -> datetime.datetime:
    """Return a time, in UTC where no zone is given."""
    try:
        found = datetime.datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is no moment; write it as in 2026-11-21T10:00:00Z"
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=datetime.UTC)


def _add_query(parser: argparse.ArgumentParser) -> None:
    """Add what is searched for, how it was when, and the order."""
    _add_words(parser)
    _add_filters(parser)
    _add_time(parser, "--as-of", "the state at that time")
    parser.add_argument(
        "--sort",
        action="append",
        default=[],
        metavar="FIELD",
        help="by default the best come first; with - before it"
        " (--sort=-updated_at) the greatest; again for more",
    )


def _add_words(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "query",
        nargs="*",
        metavar="QUERY",
        help="what is searched for, by default everything; a word that"
        " begins with - comes behind --",
    )
    # Words may stand before, between and behind options.
    # The library makes the parser, so this method of it is replaced.
    parser.parse_args = functools.partial(  # type: ignore[assignment,method-assign]
        _parsed, parser
    )


def _add_time(
    parser: argparse.ArgumentParser,
    name: str,
    what: str,
    *,
    is_required: bool = False,
) -> None:
    parser.add_argument(
        name,
        type=_parse_time,
        metavar="TIME",
        required=is_required,
        help=f"{what}: 2026-11-21T10:00:00Z, UTC where no zone is given",
    )


def _add_filters(parser: argparse.ArgumentParser) -> None:
    _add_kind(parser)
    for name, what in (
        ("type", "type of the resource, * for any text"),
        ("status", "failed, complete, in_progress, or with an action before"),
        ("project", "id of the project, of those you may see"),
    ):
        parser.add_argument(
            f"--{name}",
            action="append",
            default=[],
            metavar=name.upper(),
            help=f"{what}; again for any of several",
        )
    _add_all_projects(parser)


def _add_kind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=search_results.KINDS,
        help="only these: orphans are in the cloud, and in no stack; again"
        " for more",
    )


def _add_all_projects(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--all-projects",
        action="store_true",
        help="of all projects, for administrators",
    )
