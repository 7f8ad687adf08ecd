"""What somebody may see, and what shapes alone can tell of a query."""

from orch.search.index import port
from orch.search.index.postgresql import fields
from orch.search.index.postgresql import schema as tables
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.query import nodes

_MOST_PROJECTS = 50


def scope_part(scope: port.Scope) -> statements.Part:
    """Return what of a scope the pieces tell; the shapes tell the rest."""
    told = []
    projects = scope.project_ids
    if projects is not None and 0 < len(projects) <= _MOST_PROJECTS:
        owners = (
            statements.quoted(terms.term("project_id", each, False, False))
            for each in sorted(projects)
        )
        told.append(f"({' | '.join(owners)})")
    if not scope.is_admin:
        told.append(f"!{statements.quoted(terms.HIDDEN)}")
    return statements.Part(
        " & ".join(told), is_negative=len(told) == 1 and not projects
    )


def scope_sql(query: port.Query, given: statements.Values, row: str) -> str:
    """Return the condition of what somebody may see.

    :param row: what has the project; its shape is ``s``. Where it is ``t``,
        the tallies, it is that of all projects, too
    """
    checks = []
    projects = query.scope.project_ids
    if projects is None and row == "t":
        checks.append(f"t.project = {tables.EVERY_PROJECT}")
    if projects is not None:
        told = given.add(
            [terms.number_of_text(terms.clean(each)) for each in projects]
        )
        checks.append(f"{row}.project = ANY({told}::bigint[])")
    if not query.scope.is_admin:
        checks.append("NOT s.is_hidden")
    if query.kinds:
        told = given.add(sorted(query.kinds))
        checks.append(f"s.kind = ANY({told}::text[])")
    return " AND ".join(checks) or "TRUE"


def shape_sql(node: nodes.Node, given: statements.Values) -> str | None:
    """Return the condition of shapes that a node is, or none.

    Where it is one, no document has to be looked at to count what fits.
    """
    match node:
        case nodes.All():
            return "TRUE"
        case nodes.Term(field, value) if field in fields.SHAPED:
            told = given.add(terms.folded(value))
            column = fields.shaped(field)
            return f"({column} = {told} AND {column} <> '')"
        case nodes.Pattern(field, pattern) if field in fields.SHAPED:
            return fields.like(fields.shaped(field), pattern, given)
        case nodes.Exists(field) if field in fields.SHAPED:
            return f"{fields.shaped(field)} <> ''"
        case nodes.Not(inner):
            found = shape_sql(inner, given)
            return None if found is None else f"(NOT {found})"
        case nodes.And(parts) | nodes.Or(parts):
            every = [shape_sql(each, given) for each in parts]
            sign = " AND " if isinstance(node, nodes.And) else " OR "
            told_all = [each for each in every if each is not None]
            if len(told_all) < len(every):
                return None
            return f"({sign.join(told_all)})"
    return None
