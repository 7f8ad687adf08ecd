"""Things that are adopted in ways of their own."""

import collections.abc
import fnmatch
import json

import orch_test_world

from orch import errors
from orch.context import request
from orch.plugin import call_context
from orch.plugin import id_scopes
from orch.plugin import listing


class TranslatedResource(orch_test_world.WorldResource):
    """A thing whose ids other people write with ``row-`` before them."""

    type_name = "Test::World::Keeper"

    def handle_adopt(
        self,
        context: call_context.Context,
        given: call_context.AdoptedResource,
    ) -> call_context.AdoptedResource:
        """Translate the id, and keep what it was."""
        told = given.physical_id or ""
        if not told.startswith("row-"):
            raise errors.Permanent(f"{told} is no id of a keeper")
        return call_context.AdoptedResource(
            physical_id=f"thing-{told.removeprefix('row-')}",
            data={**given.data, "told": told},
            metadata={**given.metadata, "kept": True},
        )


class Linked(orch_test_world.WorldResource):
    """A thing that is listed, by its label as a tag, and tells what it is.

    A listing by the name ``slow`` finds the service away.
    """

    type_name = "Test::World::Linked"

    def get_reality(
        self, context: call_context.Context
    ) -> collections.abc.Mapping[str, object]:
        """Return what the row holds, what it refers to and read as well."""
        found = super().get_reality(context)
        key = (context.physical_id or "").removeprefix("thing-")
        with orch_test_world.opened() as world:
            row = world.execute(
                "SELECT refs, reads FROM things WHERE id = ?", (key,)
            ).fetchone()
        return {
            **found,
            "refs": json.loads(row[0]),
            "reads": json.loads(row[1]),
        }

    def list_physical_resources(
        self,
        requested_by: request.RequestContext,
        wanted: listing.PhysicalResourceFilter,
    ) -> list[listing.PhysicalResource]:
        """Return the rows of this type."""
        if wanted.name == "slow":
            raise errors.Transient("the world is away")
        with orch_test_world.opened() as world:
            rows = world.execute(
                "SELECT id, name, label FROM things WHERE type = ?"
                " ORDER BY id",
                (self.type_name,),
            ).fetchall()
        return [
            listing.PhysicalResource(physical_id=f"thing-{key}", name=name)
            for key, name, label in rows
            if wanted.name is None or fnmatch.fnmatchcase(name, wanted.name)
            if wanted.tag in (None, label)
        ]


class Named(Linked):
    """A thing whose id is a name, which each project has for itself."""

    type_name = "Test::World::Named"

    def get_id_scope(
        self,
        account: id_scopes.Account,
        properties: collections.abc.Mapping[str, object],
    ) -> str:
        """Return the project."""
        return account.project_id
