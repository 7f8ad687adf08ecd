"""Who may do what with stacks, templates and resource types."""

import typing

from oslo_policy import policy

from orch.policies import base

READ_OTHERS: typing.Final = "stacks:read_other_projects"
CHANGE_OTHERS: typing.Final = "stacks:change_other_projects"
_STACK = "/stacks/{stack_name}/{stack_id}"

RULES = (
    base.rule(
        "stacks:index",
        base.READER_ANYWHERE,
        "List stacks; with a token for the whole system only those of all"
        " projects together.",
        "GET /stacks",
        is_of_system=True,
    ),
    base.rule(
        "stacks:detail",
        base.READER_ANYWHERE,
        "List stacks with detail; with a token for the whole system only"
        " those of all projects together.",
        "GET /stacks/detail",
        is_of_system=True,
    ),
    base.rule(
        "stacks:global_index",
        base.DENY_ALL,
        "List the stacks of all projects.",
        "GET /stacks?global_tenant=true",
        is_of_system=True,
    ),
    base.rule("stacks:create", base.MEMBER, "Create a stack.", "POST /stacks"),
    base.rule(
        "stacks:preview",
        base.READER,
        "Show the stack that a create would make.",
        "POST /stacks/preview",
    ),
    base.rule(
        "stacks:preview_update",
        base.MEMBER,
        "Show what an update would do.",
        f"PUT {_STACK}/preview",
    ),
    base.rule(
        "stacks:preview_update_patch",
        base.MEMBER,
        "Show what an update of parts would do.",
        f"PATCH {_STACK}/preview",
    ),
    base.rule(
        "stacks:lookup",
        base.READER_OR_STACK_USER,
        "Find a stack's address by its name or id.",
        "GET /stacks/{stack_identity}",
    ),
    base.rule("stacks:show", base.READER, "Show a stack.", f"GET {_STACK}"),
    base.rule(
        "stacks:update",
        base.MEMBER,
        "Update a stack.",
        f"PUT {_STACK}",
    ),
    base.rule(
        "stacks:update_patch",
        base.MEMBER,
        "Update parts of a stack.",
        f"PATCH {_STACK}",
    ),
    base.rule(
        "stacks:update_no_change",
        "rule:stacks:update_patch",
        "Update a stack to what it is already.",
        f"PATCH {_STACK}",
    ),
    base.rule(
        "stacks:delete",
        base.MEMBER,
        "Delete a stack.",
        f"DELETE {_STACK}",
    ),
    base.rule(
        "stacks:export",
        base.MEMBER,
        "Show all of a stack, secrets sealed or in clear text.",
        f"GET {_STACK}/export",
    ),
    base.rule(
        "stacks:generate",
        base.MEMBER,
        "Write template and document of existing physical resources.",
        "POST /stacks/generate",
    ),
    base.rule(
        "stacks:abandon",
        base.MEMBER,
        "Abandon a stack, and show all of it, as an export does.",
        f"DELETE {_STACK}/abandon",
        f"POST {_STACK}/abandon",
        f"GET {_STACK}/abandon",
    ),
    base.rule(
        "stacks:hand_over",
        base.MEMBER,
        "Abandon a stack and offer it to another project of the"
        " installation, and withdraw that offer.",
        f"POST {_STACK}/abandon",
        "DELETE /hand_overs/{hand_over_id}",
    ),
    base.rule(
        "stacks:hand_overs",
        base.READER,
        "List the stacks that the project hands over or is offered.",
        "GET /hand_overs",
    ),
    base.rule(
        "stacks:adopt_owned",
        base.MEMBER,
        "Take physical resources from other stacks of the project, with"
        " adopt_owned; the rule of the request itself is asked as well.",
        "POST /stacks",
        "POST /stacks/preview",
        f"PUT {_STACK}",
        f"PATCH {_STACK}",
        f"PUT {_STACK}/preview",
        f"PATCH {_STACK}/preview",
        f"POST {_STACK}/plans",
        f"POST {_STACK}/plans/{{plan_id}}/apply",
    ),
    base.rule(
        "stacks:plain_secrets",
        base.MEMBER,
        "See secrets in clear text in what export and abandon show; who"
        " may not gets them sealed.",
        f"GET {_STACK}/export",
        f"DELETE {_STACK}/abandon",
        f"POST {_STACK}/abandon",
        f"GET {_STACK}/abandon",
    ),
    base.rule(
        "stacks:addresses",
        base.MEMBER,
        "Show the addresses that an adopted stack has given out, for the"
        " installation that it came from.",
        f"GET {_STACK}/addresses",
    ),
    base.rule(
        "stacks:forwarding",
        base.MEMBER,
        "Show and say where the addresses of an abandoned stack are now.",
        f"GET {_STACK}/abandon/addresses",
        f"POST {_STACK}/abandon/addresses",
    ),
    base.rule(
        "stacks:move",
        base.MEMBER,
        "Move resources to another stack.",
        f"POST {_STACK}/move",
    ),
    base.rule(
        "stacks:preview_move",
        base.MEMBER,
        "Show what a move of resources would do.",
        f"POST {_STACK}/move/preview",
    ),
    base.rule(
        "stacks:template",
        base.READER,
        "Show a stack's template.",
        f"GET {_STACK}/template",
    ),
    base.rule(
        "stacks:environment",
        base.READER,
        "Show a stack's environment.",
        f"GET {_STACK}/environment",
    ),
    base.rule(
        "stacks:files",
        base.READER,
        "Show the files of a stack's template.",
        f"GET {_STACK}/files",
    ),
    base.rule(
        "stacks:list_outputs",
        base.READER,
        "List a stack's outputs.",
        f"GET {_STACK}/outputs",
    ),
    base.rule(
        "stacks:show_output",
        base.READER,
        "Show one output with its value.",
        f"GET {_STACK}/outputs/{{output_key}}",
    ),
    base.rule(
        "stacks:validate_template",
        base.MEMBER,
        "Validate a template.",
        "POST /validate",
    ),
    base.rule(
        "stacks:list_resource_types",
        base.READER_ANYWHERE,
        "List resource types.",
        "GET /resource_types",
        is_of_system=True,
    ),
    base.rule(
        "stacks:resource_schema",
        base.READER_ANYWHERE,
        "Show a resource type.",
        "GET /resource_types/{type_name}",
        is_of_system=True,
    ),
    base.rule(
        "stacks:generate_template",
        base.MEMBER_ANYWHERE,
        "Make a template of a resource type.",
        "GET /resource_types/{type_name}/template",
        is_of_system=True,
    ),
    base.rule(
        "stacks:list_template_versions",
        base.READER_ANYWHERE,
        "List template versions.",
        "GET /template_versions",
        is_of_system=True,
    ),
    base.rule(
        "stacks:list_template_functions",
        base.READER_ANYWHERE,
        "List the functions of a template version.",
        "GET /template_versions/{template_version}/functions",
        is_of_system=True,
    ),
    # Asked by workers when a call arrives, with no project as target.
    policy.RuleDefault(
        READ_OTHERS,
        base.CLOUD_ADMIN,
        "Read what other projects have, by its id: stacks and what is in"
        " them, snapshots, software configs and deployments.",
    ),
    policy.RuleDefault(
        CHANGE_OTHERS,
        base.DENY_ALL,
        "Change what other projects have, by its id, or read documents of"
        " it that may contain secrets; the rule of the request itself is"
        " asked as well.",
    ),
)
