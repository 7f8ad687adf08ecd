"""How well a document fits, as SQL."""

from orch.search.index import ordering
from orch.search.index.postgresql import conditions
from orch.search.index.postgresql import statements
from orch.search.index.postgresql import terms
from orch.search.index.postgresql import top_scored as tiers
from orch.search.query import nodes


def score_sql(
    node: nodes.Node, made: conditions.Conditions, given: statements.Values
) -> str:
    """Return the score of a document: see :data:`ordering.WEIGHTS`."""
    is_sure = tiers.is_conjunction(node)
    told = [
        _worth(each, is_sure, made, given) for each in ordering.ranking(node)
    ]
    return f"({' + '.join(told)})::float8" if told else "0.0::float8"


def _worth(
    node: nodes.Words | nodes.Term,
    is_sure: bool,
    made: conditions.Conditions,
    given: statements.Values,
) -> str:
    if node.field:
        weight = ordering.WEIGHTS.get(node.field, 1)
        if is_sure:
            return str(weight)
        part = made.part(node).sql(given)
        return f"CASE WHEN {part} THEN {weight} ELSE 0 END"
    assert isinstance(node, nodes.Words)
    cases = []
    columns = {
        "name": "r.name",
        "path": "r.path",
        "type": "(s.folded->>'type')",
    }
    for field, weight in ordering.WEIGHTS.items():
        if field in terms.FAST and not "".join(node.words).isascii():
            words = made.words(node.words, node.is_prefix, field)
            check = words.sql(given)
        elif field in columns:
            check = conditions.stands_in(columns[field], node, given)
        else:
            told = conditions.stands_in("g.tag", node, given)
            check = (
                "EXISTS (SELECT FROM"
                " jsonb_array_elements_text(s.folded->'tags') g(tag)"
                f" WHERE {told})"
            )
        cases.append(f"WHEN {check} THEN {weight}")
    other = "1"
    if not is_sure:
        if len(node.words) == 1:
            part = made.contains(node.words[0], node.is_prefix)
        else:
            part = made.part(node).sql(given)
        other = f"CASE WHEN {part} THEN 1 ELSE 0 END"
    return f"CASE {' '.join(cases)} ELSE {other} END"
