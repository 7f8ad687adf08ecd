"""Constraints as the keys of a CloudFormation parameter."""

from orch.plugin import schema


def keys_of_constraint(constraint: schema.Constraint) -> dict[str, object]:
    """Return the keys of a constraint; none for one that has none there."""
    facts: dict[str, object] = {}
    if isinstance(constraint, schema.Length):
        facts = {
            "MinLength": constraint.minimum,
            "MaxLength": constraint.maximum,
        }
    elif isinstance(constraint, schema.Range):
        facts = {
            "MinValue": constraint.minimum,
            "MaxValue": constraint.maximum,
        }
    elif isinstance(constraint, schema.AllowedValues):
        facts = {"AllowedValues": list(constraint.values)}
    elif isinstance(constraint, schema.AllowedPattern):
        facts = {"AllowedPattern": constraint.pattern}
    return {key: value for key, value in facts.items() if value is not None}
