"""Validates a template without making anything."""

from orch import errors
from orch.api import faults
from orch.api import query
from orch.api import web
from orch.api.handlers import stack_request
from orch.rpc import contract


class Validation:
    """Address ``/validate``."""

    def __init__(
        self,
        client: contract.Templates,
        reader: stack_request.StackRequestReader,
    ) -> None:
        self._templates = client
        self._reader = reader

    def validate(self, req: web.Request) -> web.Answer:
        """Say what the template declares, or all that is wrong with it."""
        request = self._reader.read(req)
        ignored = query.list_words(req, "ignore_errors")
        for number in ignored:
            query.parse_integer("ignore_errors", number)
        try:
            found = self._templates.validate(
                req.caller,
                request.inputs,
                show_nested=query.get_boolean(req, "show_nested"),
                ignore_errors=ignored,
            )
        except errors.OrchError as error:
            if faults.fault_of(error) != faults.VALIDATION:
                raise
            # Here the wire has no word of its own for a wrong template.
            raise errors.Invalid(error.message, error.problems) from error
        return web.Answer(found)
