"""Who may search, and where."""

from orch.policies import base

RULES = (
    base.rule(
        "search:query",
        base.READER,
        "Search what is deployed in the project.",
        "GET /search",
        "POST /search",
        "GET /search/export",
        "GET /search/saved/{search_name}/hits",
    ),
    base.rule(
        "search:all_projects",
        base.CLOUD_ADMIN,
        "Search what is deployed in all projects.",
        "GET /search?all_projects=true",
        "POST /search",
        "GET /search/export?all_projects=true",
        "GET /search/diff?all_projects=true",
        "GET /search/facets?all_projects=true",
        "GET /search/saved/{search_name}/hits?all_projects=true",
    ),
    base.rule(
        "search:as_of",
        base.READER,
        "Search the state at an earlier moment; values that were hidden"
        " since are not found.",
        "GET /search?as_of=MOMENT",
        "POST /search",
        "GET /search/export?as_of=MOMENT",
        "GET /search/diff",
        "GET /search/saved/{search_name}/hits?as_of=MOMENT",
    ),
    base.rule(
        "search:admin_fields",
        base.CLOUD_ADMIN,
        "See and search what is for administrators, and stacks with a tag"
        " for hiding; who may not finds nothing of them.",
        "GET /search",
        "POST /search",
        "GET /search/diff",
        "GET /search/export",
        "GET /search/facets",
        "GET /search/fields",
    ),
    base.rule(
        "search:facets",
        base.READER,
        "Show which types and values there are.",
        "GET /search/facets",
    ),
    base.rule(
        "search:fields",
        base.READER,
        "List the fields that can be searched.",
        "GET /search/fields",
    ),
    base.rule(
        "search:plugins",
        base.READER,
        "List the kinds of what can be searched.",
        "GET /search/plugins",
    ),
    base.rule(
        "search:saved",
        base.READER,
        "Show the searches that the user has saved, and those that the"
        " project shares.",
        "GET /search/saved",
        "GET /search/saved/{search_name}",
    ),
    base.rule(
        "search:save",
        base.READER,
        "Save a search for the user alone, and delete it.",
        "POST /search/saved",
        "PUT /search/saved/{search_name}",
        "DELETE /search/saved/{search_name}",
    ),
    base.rule(
        "search:share",
        base.MEMBER,
        "Save a search for all users of the project, and delete it.",
        "POST /search/saved",
        "PUT /search/saved/{search_name}",
        "DELETE /search/saved/{search_name}?is_shared=true",
    ),
    base.rule(
        "search:status",
        base.ADMIN_OR_SYSTEM_READER,
        "Show the state of the index.",
        "GET /search/status",
        is_of_system=True,
    ),
)
