"""``search …``: searches what is deployed."""

import argparse
import collections.abc
import json

from orchclient import errors
from orchclient import response_parser
from orchclient import search
from orchclient import search_results
from orchclient.commands import base
from orchclient.commands import search_arguments
from orchclient.console import exit_codes
from orchclient.console import formatting
from orchclient.console import highlighting
from orchclient.console import output_formats


class Hits(base.Lister):
    """A command that lists the hits of a search."""

    _found: search_results.Found
    _query_text = ""

    def rows_of(
        self, parsed_args: argparse.Namespace, found: search_results.Found
    ) -> base.Table:
        """Return a row for each hit."""
        self._found = found
        is_bold = parsed_args.formatter == "table" and self.out.isatty()
        columns = ["Path", "Type", "Status", "Updated", "Where"]
        is_of_several = parsed_args.all_projects or (
            len({each.project_id for each in found.hits}) > 1
        )
        if is_of_several:
            columns.insert(0, "Project")
        rows = []
        for each in found.hits:
            row: list[object] = [
                highlighting.Path(each, is_bold=is_bold),
                highlighting.clean_text(each.type),
                each.status,
                formatting.time_text(each.updated_at or each.created_at),
                highlighting.Where(each, is_bold=is_bold),
            ]
            if is_of_several:
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
        for name in found.aggregations:
            buckets = response_parser.get_maps(
                response_parser.get_map(found.aggregations, name), "buckets"
            )
            counts = ", ".join(map(_bucket_text, buckets))
            if counts:
                self.say(f"{highlighting.clean_text(name)}: {counts}")
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


def _bucket_text(bucket: response_parser.Json) -> str:
    """Return a value or a moment, and how many hits have it."""
    moment = response_parser.find_time(bucket, "key_as_string")
    key = (
        highlighting.clean_text(str(bucket.get("key")))
        if moment is None
        else formatting.time_text(moment)
    )
    return f"{key} ({response_parser.get_integer(bucket, 'doc_count')})"


class Query(Hits):
    """Find stacks at any depth, and their resources.

    A QUERY has words, "phrases", prefixes (serv*), fields
    (type:OS::Nova::Server, status:failed, path:*/db/*, flavor:m1.large),
    ranges (size:[1 TO 5]), and AND, OR, NOT.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is searched for, and what is shown."""
        parser = super().get_parser(prog_name)
        search_arguments.add_query(parser)
        search_arguments.add_page(parser, 20)
        search_arguments.add_histogram(parser)
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each hit."""
        self._query_text = search_arguments.compose_query(parsed_args)
        found = self.client.search.query(
            self._query_text,
            cursor=parsed_args.cursor,
            **search_arguments.compose_request(parsed_args),
        )
        return self.rows_of(parsed_args, found)


class Export(base.Base):
    """Write all hits of a QUERY, a line of JSON for each.

    However many there are: by default sorted by their paths, since other
    orders change while they are written.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is searched for."""
        parser = super().get_parser(prog_name)
        search_arguments.add_query(parser, "sorted by path")
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
        found = self.client.search.export(
            search_arguments.compose_query(parsed_args), **request
        )
        for each in found:
            self.say(json.dumps(dict(each.body), ensure_ascii=False))
        if found.hint is not None:
            self.hint(found.hint)
        return exit_codes.Exit.DONE


class Diff(base.Lister):
    """Show what appeared, went and changed since a time."""

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is compared, and the times."""
        parser = super().get_parser(prog_name)
        search_arguments.add_words(parser)
        search_arguments.add_filters(parser)
        search_arguments.add_time(
            parser, "--as-of", "the earlier time", is_required=True
        )
        search_arguments.add_time(
            parser, "--as-of-other", "the later time, by default now"
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each difference."""
        found = self.client.search.diff(
            parsed_args.as_of,
            parsed_args.as_of_other,
            search_arguments.compose_query(parsed_args),
            kinds=parsed_args.kind,
            all_projects=parsed_args.all_projects,
        )
        columns = ["Change", "Path", "Type", "Status", "Fields"]
        if parsed_args.all_projects:
            columns.insert(0, "Project")
        rows = []
        for each in found:
            hit = each.after or each.before
            if hit is not None:
                row = [
                    each.change,
                    highlighting.clean_text(hit.path),
                    highlighting.clean_text(hit.type),
                    hit.status,
                    highlighting.clean_text(", ".join(each.fields)),
                ]
                if parsed_args.all_projects:
                    row.insert(0, highlighting.clean_text(hit.project_id))
                rows.append(row)
        if found.hint is not None:
            self.hint(found.hint)
        return columns, rows


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
        search_arguments.add_all_projects(parser)
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
        search_arguments.add_all_projects(parser)
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
        search_arguments.add_kind(parser)
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
