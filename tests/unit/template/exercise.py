"""Does with a template all that can be done with one."""

import contextlib
import json

from oslo_config import cfg

from orch import errors
from orch.conf import opts
from orch.plugin import registry
from orch.template import inputs
from orch.template import template
from orch.template import world
from orch.template.resources import declaration

WHO = inputs.Identity("id", "name", "project")
OUR_FAULT = ("orch.internal", "orch.template.not_yet_known")


def installed_types() -> registry.ResourceTypes:
    """Return the resource types of this installation."""
    conf = cfg.ConfigOpts()
    for group, options in opts.list_opts():
        conf.register_opts(options, group=group)
    return registry.ResourceTypes(conf)


class Made(world.EmptyWorld):
    """A world in which all resources exist, and look alike."""

    def reference_id(self, name):
        return f"id-{name}"

    def attribute(self, name, attribute):
        return {"k": ["v", 1, None]}


def use(
    given: inputs.Inputs,
    types: registry.ResourceTypes,
    most: inputs.Limits | None = None,
) -> None:
    """Load, check and resolve a template, as the service does.

    :raises orch.errors.OrchError: it is refused
    """
    loaded = template.Template.load(given, types, WHO, most or inputs.Limits())
    with contextlib.suppress(errors.OrchError):
        json.dumps(loaded.validation_answer())
        loaded.validation_answer(show_nested=True)
    loaded.validate(declaration.check_with_rows)
    json.dumps(loaded.shown_environment())
    json.dumps(loaded.shown_parameters())
    for name in loaded.resources:
        loaded.resolve_properties(name, world.EmptyWorld(), marks_unknown=True)
        loaded.attributes_read(name)
        with contextlib.suppress(errors.OrchError):
            json.dumps(loaded.resolve_properties(name, Made()))
            json.dumps(loaded.resolve_metadata(name, Made()))
    json.dumps([one.value for one in loaded.resolve_outputs(Made())])


def refusal(
    given: inputs.Inputs,
    types: registry.ResourceTypes,
    most: inputs.Limits | None = None,
) -> errors.OrchError | None:
    """Return why a template is refused, or ``None``.

    :raises Exception: what nobody who writes templates can answer for
    """
    try:
        use(given, types, most)
    except errors.OrchError as error:
        if error.code in OUR_FAULT:
            raise AssertionError(error) from error
        return error
    return None
