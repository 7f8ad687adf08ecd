"""``search query`` and other commands of Searchlight."""

import argparse
import json
import typing

from orchclient import response_parser
from orchclient.commands import base
from orchclient.commands import search
from orchclient.console import exit_codes
from orchclient.console import highlighting
from orchclient.console import output_formats

_ALL: typing.Final = ""
_SHOWN: typing.Final = ["id", "name", "updated_at"]


class Query(base.Lister):
    """Search as Searchlight does.

    The query is a query string, 'name: web AND updated_at: [now-1d TO now]',
    or with --json a query as Elasticsearch has it.
    """

    def get_parser(self, prog_name: str) -> argparse.ArgumentParser:
        """Add what is searched for."""
        parser = super().get_parser(prog_name)
        parser.add_argument("query", metavar="QUERY")
        parser.add_argument(
            "--json", action="store_true", help="the query is JSON"
        )
        parser.add_argument(
            "--type",
            nargs="*",
            metavar="TYPE",
            help="one or more types: OS::Nova::Server",
        )
        parser.add_argument(
            "--all-projects",
            action="store_true",
            help="of all projects, for administrators",
        )
        parser.add_argument(
            "--source",
            nargs="?",
            const=_ALL,
            metavar="FIELD,…",
            help="show what is indexed, all of it or these fields",
        )
        return parser

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return a row for each hit."""
        source: str | None = parsed_args.source
        body: dict[str, object] = {
            "query": _query(parsed_args.query, is_json=parsed_args.json),
            "all_projects": parsed_args.all_projects,
        }
        if parsed_args.type:
            body["type"] = parsed_args.type
        if source is None:
            body["_source"] = _SHOWN
        elif source != _ALL:
            body["_source"] = ["id", *source.split(",")]
        answer = self.client.search.searchlight(body)
        hits = response_parser.get_maps(
            response_parser.get_map(answer, "hits"), "hits"
        )
        if source is None:
            columns: tuple[str, ...] = (
                "ID",
                "Name",
                "Score",
                "Type",
                "Updated",
            )
            return columns, (_plain_row(each) for each in hits)
        return ("ID", "Score", "Type", "Source"), (
            (
                response_parser.get_text(each, "_id"),
                response_parser.get_number(each, "_score"),
                response_parser.get_text(each, "_type"),
                output_formats.Lines(
                    dict(response_parser.get_map(each, "_source"))
                ),
            )
            for each in hits
        )


class FacetList(search.Facets):
    """List facets as Searchlight does: fields of types, and their values."""


class ResourceTypeList(base.Lister):
    """List what can be searched, as Searchlight does."""

    def take_action(self, parsed_args: argparse.Namespace) -> base.Table:
        """Return names and types."""
        found = self.client.search.plugins()
        return ("Name", "Type"), ((each.kind, each.type) for each in found)


def _query(text: str, *, is_json: bool) -> object:
    """Return the query in Elasticsearch's form.

    :raises exits.UsageError: it is no JSON, or JSON that is not said to be
    """
    try:
        parsed = json.loads(text)
    except ValueError as error:
        if is_json:
            raise exit_codes.UsageError(
                f"The query is no JSON: {error}"
            ) from error
        parsed = None
    if is_json:
        return parsed
    if isinstance(parsed, dict):
        raise exit_codes.UsageError("Give --json with a query that is JSON.")
    return {"query_string": {"query": text}}


def _plain_row(hit: response_parser.Json) -> base.Row:
    source = response_parser.get_map(hit, "_source")
    return (
        response_parser.get_text(hit, "_id"),
        highlighting.clean_text(response_parser.get_text(source, "name")),
        response_parser.get_number(hit, "_score"),
        response_parser.get_text(hit, "_type"),
        response_parser.get_text(source, "updated_at"),
    )
