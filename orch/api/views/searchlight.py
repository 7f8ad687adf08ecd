"""What was found, as Searchlight shows it."""

import collections.abc
import re

from orch.api.schemas import searchlight
from orch.api.views import aggregations
from orch.api.views import search
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]

_MARK = re.compile("</?em>")
_WHOLE = {"total": 1, "successful": 1, "failed": 0}
_PART = {"total": 1, "successful": 0, "failed": 1}
_TYPES = {"text": "string", "number": "double", "moment": "date"}


def found(
    facts: contract.SearchFacts, asked: searchlight.SearchlightInput
) -> View:
    """Return all that was found; ``timed_out``: of the hits only the first.

    The rest comes with a greater offset. A shard has failed where the index
    is not complete yet: pages of what is not read do not exist.
    """
    scores = [each["score"] for each in facts["hits"]]
    view: View = {
        "took": facts["took_ms"],
        # As of a search that gave what it had when it had to end.
        "timed_out": facts.get("is_cut", False),
        "_shards": _PART if search.hint_of(facts) else _WHOLE,
        "hits": {
            "total": facts["total"],
            "max_score": max(scores, default=None),
            "hits": [_hit(each, asked) for each in facts["hits"]],
        },
    }
    if asked.aggregations:
        view["aggregations"] = aggregations.view(
            asked.aggregations, facts["aggregations"]
        )
    return view


def _hit(
    facts: contract.HitFacts, asked: searchlight.SearchlightInput
) -> View:
    document = facts["document"]
    view: View = {
        "_index": searchlight.INDEX,
        "_type": document["type"],
        "_id": search.own_id(document),
        "_score": facts["score"],
    }
    if asked.has_source:
        view["_source"] = _source(document, asked)
    fragments = {
        field: [_marked(each, asked.marks) for each in told]
        for field, told in facts["highlights"].items()
        if asked.highlights(field)
    }
    if fragments:
        view["highlight"] = fragments
    return view


def _marked(fragment: str, marks: tuple[str, str]) -> str:
    before, behind = marks
    return _MARK.sub(
        lambda mark: behind if mark[0].startswith("</") else before, fragment
    )


def _source(
    document: contract.DocumentFacts, asked: searchlight.SearchlightInput
) -> View:
    """Return the document, its fields in maps by their first words."""
    facts: View = {**document}
    view: View = {"id": search.own_id(document)}
    view.update((name, facts[name]) for name in search.PARTS)
    view["created_at"] = timestamps.format_time(document["created_at"])
    view["updated_at"] = timestamps.format_time(document["updated_at"])
    view.update(document["texts"])
    view = {name: each for name, each in view.items() if asked.shows(name)}
    fields = (*document["fields"].items(), *document["admin"].items())
    for name, values in fields:
        if asked.shows(name):
            group, _, rest = name.partition(".")
            value = values[0] if len(values) == 1 else list(values)
            inner = view.setdefault(group, {})
            if rest and isinstance(inner, dict):
                inner[rest] = value
            else:
                view[name] = value
    return view


def buckets(
    values: collections.abc.Iterable[contract.FacetValue],
) -> list[View]:
    """Return values and how many have them."""
    return [
        {"key": each["value"], "doc_count": each["count"]} for each in values
    ]


def facets(facts: contract.TypeFacets, has_fields: bool) -> View:
    """Return a type, with its fields and their values where these are wanted.

    :param has_fields: the fields are wanted, even if there are none
    """
    view: View = {"doc_count": facts["count"]}
    if has_fields:
        view["facets"] = [
            _facet(each, facts["options"].get(each["name"]))
            for each in facts["fields"]
        ]
    return view


def _facet(
    field: contract.SearchField,
    options: collections.abc.Iterable[contract.FacetValue] | None,
) -> View:
    """Return a field of a type, with its values where these are wanted."""
    view: View = {"name": field["name"], "type": _TYPES[field["type"]]}
    if options is not None:
        view["options"] = buckets(options)
    return view
