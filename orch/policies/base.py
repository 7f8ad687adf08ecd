"""The roles that rules are made of, and how a rule is declared.

A reader looks, a member changes, an admin runs the service; each may do
what the one before may. ``heat_stack_user`` is the role of the users that
live inside a stack's servers.

Who has logged in to the whole system has no project: such roles count for
what is of the installation, and for lists of what all projects have, where
the operator opens those; by default no caller gets them.
"""

import typing

from oslo_policy import policy

_PROJECT = "project_id:%(project_id)s"
_SYSTEM = "system_scope:all"

READER = "rule:project_reader"
MEMBER = "rule:project_member"
ADMIN = "rule:project_admin"
READER_OR_STACK_USER = "rule:project_reader_or_stack_user"
MEMBER_OR_STACK_USER = "rule:project_member_or_stack_user"
CLOUD_ADMIN = "rule:context_is_admin"
DENY_ALL = "!"
ALLOW_ALL = "@"
SYSTEM_READER = "rule:system_reader"
READER_ANYWHERE = f"{READER} or {SYSTEM_READER}"
MEMBER_ANYWHERE = f"{MEMBER} or rule:system_member"
ADMIN_ANYWHERE = f"{ADMIN} or rule:system_admin"
ADMIN_OR_SYSTEM_READER = f"{ADMIN} or {SYSTEM_READER}"

PROJECT: typing.Final = "project"
SYSTEM: typing.Final = "system"
"""What a token is for; a rule names those that it lets in at all."""


def rule(
    name: str,
    check: str,
    description: str,
    *operations: str,
    is_of_system: bool = False,
) -> policy.DocumentedRuleDefault:
    """Return a rule of the API, which an operator may override.

    :param operations: method and path below ``/v1/{project}``, one string
        each: ``GET /stacks``
    :param is_of_system: the check decides on those too who have logged in to
        the whole system; else none of them may, whatever a policy file says
    """
    places: list[policy.Operation] = []
    for operation in operations:
        method, path = operation.split(" ", 1)
        places.append(
            {"method": method, "path": "/v1/{project_id}" + path},
        )
    scopes = [SYSTEM, PROJECT] if is_of_system else [PROJECT]
    return policy.DocumentedRuleDefault(
        name, check, description, places, scope_types=scopes
    )


ROLES: typing.Final = (
    policy.RuleDefault(
        "context_is_admin",
        "role:admin and is_admin_project:True",
        "Runs the cloud: may use the address of each project, and read"
        " what other projects have by its id.",
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
        "Reads what belongs to the project.",
    ),
    policy.RuleDefault(
        "project_reader_or_stack_user",
        f"rule:project_reader or (role:heat_stack_user and {_PROJECT})",
        "Looks, or asks from inside a server of a stack.",
    ),
    policy.RuleDefault(
        "project_member_or_stack_user",
        f"rule:project_member or (role:heat_stack_user and {_PROJECT})",
        "Changes what belongs to the project, or signals from inside a"
        " server of a stack.",
    ),
    policy.RuleDefault(
        "system_admin",
        f"role:admin and {_SYSTEM}",
        "Runs the service, and has logged in to the whole system.",
    ),
    policy.RuleDefault(
        "system_member",
        f"(role:member or role:admin) and {_SYSTEM}",
        "Has logged in to the whole system as a member.",
    ),
    policy.RuleDefault(
        "system_reader",
        f"(role:reader or role:member or role:admin) and {_SYSTEM}",
        "Reads the installation, and has logged in to the whole system.",
    ),
)
"""The rules that others refer to."""
