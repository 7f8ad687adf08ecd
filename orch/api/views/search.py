"""What was found, as the wire shows it."""

import math
import urllib.parse

from orch.api import links
from orch.api.views import timestamps
from orch.rpc import contract

View = dict[str, object]

_FILLING = (
    "The search index is being filled: stacks that are not read yet are not"
    " found. search/status has the progress."
)

_EARLIER = (
    "The search index does not have all states of that moment: give one at or"
    " after history_since."
)

PARTS = (
    "kind",
    "name",
    "path",
    "type",
    "project_id",
    "stack_id",
    "root_id",
    "physical_id",
    "owner",
    "action",
    "status",
    "reason",
    "description",
    "tags",
    "drift",
)
"""What a hit has as its document has it."""


def found(
    base_url: str, facts: contract.SearchFacts, *, with_texts: bool
) -> View:
    """Return all that was found.

    :param with_texts: hits have their long texts, such as templates
    """
    hint = hint_of(facts)
    view: View = {
        "total": facts["total"],
        "took_ms": facts["took_ms"],
        "hits": [
            hit(base_url, each, with_texts=with_texts)
            for each in facts["hits"]
        ],
        "facets": facts["facets"],
        "statistics": facts["statistics"],
        "next": facts["next"],
        "is_complete": hint is None,
    }
    since = facts.get("history_since")
    if since is not None:
        view["history_since"] = timestamps.format_time(math.ceil(since))
    if hint is not None:
        view["hint"] = hint
    return view


def hint_of(
    facts: contract.SearchFacts | contract.DifferencesFacts,
) -> str | None:
    """Return why there may be more than was found; ``None`` for all.

    Search services of earlier releases do not say it.
    """
    if facts.get("is_complete", True):
        return None
    return _FILLING if facts.get("history_since") is None else _EARLIER


def hit(base_url: str, facts: contract.HitFacts, *, with_texts: bool) -> View:
    """Return a hit.

    :param with_texts: with its long texts, such as templates
    """
    told = {
        **_document(base_url, facts["document"]),
        "score": facts["score"],
        "highlights": facts["highlights"],
        "cursor": facts["cursor"],
    }
    if with_texts:
        told["texts"] = facts["document"]["texts"]
    return told


def difference(base_url: str, facts: contract.Difference) -> View:
    """Return what was before and is after, or was not there."""
    before, after = facts["before"], facts["after"]
    return {
        "change": facts["change"],
        "before": None if before is None else _document(base_url, before),
        "after": None if after is None else _document(base_url, after),
        "fields": facts["fields"],
    }


def _document(base_url: str, facts: contract.DocumentFacts) -> View:
    document: dict[str, object] = {**facts}
    told: View = {
        "id": own_id(facts),
        **{name: document[name] for name in (*PARTS, "fields")},
        "created_at": timestamps.format_time(facts["created_at"]),
        "updated_at": timestamps.format_time(facts["updated_at"]),
        "links": _links(base_url, facts),
    }
    if facts["admin"]:
        told["admin"] = facts["admin"]
    return told


def own_id(document: contract.DocumentFacts) -> str:
    """Return what the thing is known by, without the kind of it."""
    return document["id"].removeprefix(f"{document['kind']}/")


def _links(
    base_url: str, document: contract.DocumentFacts
) -> list[links.Link]:
    """Return where the stack is served; nothing is of an orphan."""
    if not document["stack_id"]:
        return []
    if document["kind"] == "stack":
        identity: contract.StackIdentity = {
            "project_id": document["project_id"],
            "stack_name": document["name"],
            "stack_id": document["stack_id"],
        }
        return [links.link("self", links.stack(base_url, identity))]
    # By its id, which leads on to the name that only its document has.
    project = urllib.parse.quote(document["project_id"], "")
    href = f"{base_url}/v1/{project}/stacks/{document['stack_id']}"
    return [links.link("stack", href)]


def plugin(facts: contract.SearchPluginFacts) -> View:
    """Return a kind of documents, with Searchlight's names of its index."""
    return {
        "kind": facts["kind"],
        "type": facts["type"],
        "alias-indexing": facts["index"],
        "alias-searching": facts["index"],
    }


def status(facts: contract.SearchStatus) -> View:
    """Return how the index stands.

    Search services of before say nothing of orphans.
    """
    return {
        "stacks": facts["stacks"],
        "documents": facts["documents"],
        "pending": facts["pending"],
        "text_bytes": facts["text_bytes"],
        "stored_bytes": facts["stored_bytes"],
        "fill_progress": facts["fill_progress"],
        "filled_at": timestamps.format_time(facts["filled_at"]),
        "orphans_at": timestamps.format_time(facts.get("orphans_at")),
        "unlisted_types": [
            {**each, "at": timestamps.format_time(each["at"])}
            for each in facts.get("unlisted_types", ())
        ],
    }
