"""The roles that rules are made of, and how a rule is declared.

A reader looks, a member changes, an admin runs the service; each may do
what the one before may. ``heat_stack_user`` is the role of the users that
live inside a stack's servers.
"""

from oslo_policy import policy

_PROJECT = "project_id:%(project_id)s"

READER = "rule:project_reader"
MEMBER = "rule:project_member"
ADMIN = "rule:project_admin"
READER_OR_STACK_USER = "rule:project_reader_or_stack_user"
CLOUD_ADMIN = "rule:context_is_admin"
NOBODY = "!"


def rule(
    name: str, check: str, description: str, *operations: str
) -> policy.DocumentedRuleDefault:
    """Return a rule of the API, which an operator may override.

    :param operations: method and path below ``/v1/{project}``, one string
        each: ``GET /stacks``
    """
    places: list[policy.Operation] = []
    for operation in operations:
        method, path = operation.split(" ", 1)
        places.append(
            {"method": method, "path": "/v1/{project_id}" + path},
        )
    return policy.DocumentedRuleDefault(
        name, check, description, places, scope_types=["project"]
    )


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules that others refer to."""
    return [
        policy.RuleDefault(
            "context_is_admin",
            "role:admin and is_admin_project:True",
            "Runs the cloud: may look into other projects by the ids of their"
            " stacks.",
        ),
        policy.RuleDefault(
            "project_admin",
            f"role:admin and {_PROJECT}",
            "Runs the service.",
        ),
        policy.RuleDefault(
            "project_member",
            f"(role:member or role:admin) and {_PROJECT}",
            "Changes what belongs to the project.",
        ),
        policy.RuleDefault(
            "project_reader",
            f"(role:reader or role:member or role:admin) and {_PROJECT}",
            "Looks at what belongs to the project.",
        ),
        policy.RuleDefault(
            "project_reader_or_stack_user",
            f"rule:project_reader or (role:heat_stack_user and {_PROJECT})",
            "Looks, or asks from inside a server of a stack.",
        ),
    ]
