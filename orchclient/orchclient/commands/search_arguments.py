"""Arguments of commands that search, and the query that they make."""

import argparse
import collections.abc
import datetime
import functools
import re
import typing

from orchclient import search
from orchclient import search_results

_SPECIAL: typing.Final = re.compile(r'([\\"()\s])')
_EITHER: typing.Final = re.compile(r"(^|[\s()])(OR|\|\|)($|[\s()])")


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


def compose_request(parsed_args: argparse.Namespace) -> search.SearchRequest:
    """Return what options say in addition to the query."""
    given = {
        "kinds": parsed_args.kind,
        "sort": parsed_args.sort,
        "limit": parsed_args.limit,
        "facets": parsed_args.facet,
        "statistics": parsed_args.stats,
        "aggregations": _histograms(parsed_args),
        "all_projects": parsed_args.all_projects,
        "as_of": parsed_args.as_of,
    }
    return typing.cast(
        search.SearchRequest,
        {
            name: each
            for name, each in given.items()
            if each is not None and each is not False and each not in ([], {})
        },
    )


def _histograms(
    parsed_args: argparse.Namespace,
) -> dict[str, dict[str, object]]:
    """Return aggregations that are called as they were typed."""
    found: dict[str, dict[str, object]] = {}
    for text in getattr(parsed_args, "histogram", ()):
        field, _, interval = text.rpartition(":")
        found[text] = {
            "date_histogram": {
                "field": field or interval,
                "interval": interval if field else "day",
                "min_doc_count": 1,
            }
        }
    return found


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


def add_query(
    parser: argparse.ArgumentParser, order: str = "the best come first"
) -> None:
    """Add what is searched for, how it was when, and the order.

    :param order: of hits that are sorted by no field
    """
    add_words(parser)
    add_filters(parser)
    add_time(parser, "--as-of", "the state at that time")
    add_sort(parser, order)


def add_sort(parser: argparse.ArgumentParser, order: str) -> None:
    """Add the order of the hits.

    :param order: of hits that are sorted by no field
    """
    parser.add_argument(
        "--sort",
        action="append",
        default=[],
        metavar="FIELD",
        help=f"by default {order}; with - before it (--sort=-updated_at) the"
        " greatest come first; again for more",
    )


def add_words(parser: argparse.ArgumentParser) -> None:
    """Add the words of a query."""
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


def add_time(
    parser: argparse.ArgumentParser,
    name: str,
    what: str,
    *,
    is_required: bool = False,
) -> None:
    """Add an option that takes a time."""
    parser.add_argument(
        name,
        type=_parse_time,
        metavar="TIME",
        required=is_required,
        help=f"{what}: 2026-11-21T10:00:00Z, UTC where no zone is given",
    )


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Add what restricts a query."""
    add_kind(parser)
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
    add_all_projects(parser)


def add_page(
    parser: argparse.ArgumentParser, limit: int | None = None
) -> None:
    """Add how many hits are shown, from where, and what is counted.

    :param limit: hits by default
    """
    add_limit(parser, limit)
    parser.add_argument("--cursor", help="go on behind the hit that has it")
    add_counts(parser)


def add_histogram(parser: argparse.ArgumentParser) -> None:
    """Add the intervals that hits are counted in."""
    parser.add_argument(
        "--histogram",
        action="append",
        default=[],
        metavar="FIELD",
        help="count the hits by day; FIELD:INTERVAL by hour, week, month or"
        " 12h; again for more",
    )


def add_limit(parser: argparse.ArgumentParser, limit: int | None) -> None:
    """Add how many hits are shown."""
    parser.add_argument(
        "--limit", type=int, default=limit, metavar="NUMBER", help="hits"
    )


def add_counts(parser: argparse.ArgumentParser) -> None:
    """Add what is counted in all hits."""
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


def add_kind(parser: argparse.ArgumentParser) -> None:
    """Add the kinds of what is searched for."""
    parser.add_argument(
        "--kind",
        action="append",
        default=[],
        choices=search_results.KINDS,
        help="only these: orphans are in the cloud, and in no stack; again"
        " for more",
    )


def add_all_projects(parser: argparse.ArgumentParser) -> None:
    """Add the option of administrators."""
    parser.add_argument(
        "--all-projects",
        action="store_true",
        help="of all projects, for administrators",
    )
