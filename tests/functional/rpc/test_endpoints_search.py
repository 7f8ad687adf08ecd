"""The ``document`` namespace: what a search may know of stacks."""

import sqlalchemy as sa

from orch import ids
from orch.db.repositories import decisions
from orch.db.repositories import lifecycle as stored_lifecycle
from orch.db.repositories import observations
from orch.db.repositories import operations
from orch.model import lifecycle
from orch.model import observation
from orch.model import states
from tests.functional.rpc import searchable
from tests.unit.engine import fakes

_OPEN = searchable.TEXT.replace(", peer: {get_param: word}", "")
"""Gives what is hidden to no resource."""


class ContentTest(searchable.TestCase):
    def test_a_stack_says_what_it_was_made_of(self) -> None:
        stack_id = self.make(_OPEN)
        self.put_resource(
            stack_id,
            "web",
            attributes={"address": "10.0.0.7", "port": [{"number": 80}]},
        )

        found = self.stack_of(stack_id)

        self.assertEqual(f"stack/{stack_id}", found["id"])
        self.assertEqual(
            ("stack", "app", "app", "OS::Heat::Stack", "demo"),
            (
                found["kind"],
                found["name"],
                found["path"],
                found["type"],
                found["project_id"],
            ),
        )
        self.assertEqual(
            ("CREATE", "COMPLETE", "ann", ["blue"], False),
            (
                found["action"],
                found["status"],
                found["owner"],
                found["tags"],
                found["is_hidden"],
            ),
        )
        self.assertEqual("Two tiers", found["description"])
        fields = found["fields"]
        self.assertEqual(["north"], fields["parameters.zone"])
        self.assertEqual(["1", "2"], fields["parameters.sizes"])
        self.assertEqual(["north"], fields["outputs.zone"])
        self.assertEqual(["10.0.0.7"], fields["outputs.where"])
        self.assertEqual([80], fields["outputs.deep"])
        self.assertEqual(["north-x"], fields["outputs.both"])
        self.assertEqual(["CREATE"], fields["operation.action"])
        self.assertEqual([1], fields["operation.attempts"])
        self.assertEqual(["u1"], found["admin"]["stack.user_id"])

    def test_a_resource_says_what_it_is(self) -> None:
        stack_id = self.make(_OPEN)
        row = self.put_resource(
            stack_id,
            "web",
            properties={
                "flavor": "m1.large",
                "peer": None,
                "networks": [{"port": "p-1"}, {"port": "p-2"}],
                "note": "x" * 2000,
            },
            attributes={"address": "10.0.0.7"},
            status_reason="it is there",
            requires=("db",),
        )

        found = self.resource_of(stack_id, "web")

        self.assertEqual(f"resource/{row.id}", found["id"])
        self.assertEqual("app/web", found["path"])
        self.assertEqual("Test::Server", found["type"])
        self.assertEqual("physical", found["physical_id"])
        self.assertEqual("it is there", found["reason"])
        self.assertEqual("Where people look", found["description"])
        self.assertEqual(fakes.NOW, found["created_at"])
        fields = found["fields"]
        self.assertEqual(["m1.large"], fields["properties.flavor"])
        self.assertEqual(["p-1", "p-2"], fields["properties.networks.port"])
        self.assertEqual(["x" * 1000], fields["properties.note"])
        self.assertEqual(["10.0.0.7"], fields["attributes.address"])
        self.assertEqual(["db"], fields["resource.requires"])

    def test_s3_nothing_holds_what_is_hidden(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "web",
            properties={
                "flavor": "m1.large",
                "peer": searchable.SECRET,
                "script": f"echo {searchable.SECRET}",
                "spelt": "canary%2D5d1e9b",
                "keys": {searchable.SECRET: "x", "plain": "kept"},
            },
            sensitive=("peer", "spelt"),
            attributes={"address": f"http://{searchable.SECRET}/", "port": 80},
            status_reason=f"400: {searchable.SECRET} is wrong",
            physical_id=f"id-{searchable.SECRET}",
        )
        self.put_event(
            stack_id,
            7,
            status=states.Status.FAILED,
            reason=f"cannot log in with {searchable.SECRET}",
        )

        found = self.read(stack_id)

        self.assertNotIn(searchable.SECRET, repr(found))
        stack, web = found["documents"]
        self.assertIn("remark of the author", searchable.TEXT)
        self.assertIn("default: '******'", stack["texts"]["template"])
        self.assertEqual("cannot log in with ******", stack["texts"]["events"])
        self.assertNotIn("parameters.word", stack["fields"])
        self.assertNotIn("outputs.told", stack["fields"])
        self.assertNotIn("outputs.short", stack["fields"])
        self.assertNotIn("7x", stack["texts"]["template"])
        self.assertEqual("400: ****** is wrong", web["reason"])
        self.assertEqual(["kept"], web["fields"]["properties.keys.plain"])
        self.assertNotIn("properties.spelt", web["fields"])
        self.assertEqual([80], web["fields"]["attributes.port"])
        self.assertNotIn("outputs.where", stack["fields"])

    def test_s3_secrets_that_nobody_calls_hidden_are_left_out(self) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "made",
            type_name="OS::Heat::RandomString",
            properties={"length": 12},
            attributes={"value": "made-up-here"},
        )
        self.put_resource(
            stack_id,
            "key",
            properties={"name": "k", "admin_pass": "typed-in"},
            attributes={"private_key": "-----BEGIN"},
        )

        found = self.read(stack_id)["documents"]

        key, made = (each["fields"] for each in found[1:])
        self.assertEqual({"properties.name": ["k"]}, key)
        self.assertEqual({"properties.length": [12]}, made)

    def test_a_text_without_secrets_stays_as_it_was_written(self) -> None:
        plain = searchable.TEXT.replace(", default: canary-5d1e9b", "")
        plain = plain.replace(", default: 7x", "")
        stack_id = self.create(
            plain, parameters={"word": searchable.SECRET, "pin": "7x"}
        )

        found = self.stack_of(stack_id)

        self.assertIn("# A remark of the author.", found["texts"]["template"])

    def test_where_the_template_cannot_be_read_values_are_left_out(
        self,
    ) -> None:
        stack_id = self.make()
        self.put_resource(
            stack_id,
            "web",
            properties={"peer": searchable.SECRET},
            status_reason="why",
        )
        self.set_stack(stack_id, template_hash="f" * 64)

        stack, web = self.read(stack_id)["documents"]

        self.assertNotIn(searchable.SECRET, repr((stack, web)))
        self.assertEqual(("app", "COMPLETE"), (stack["name"], stack["status"]))
        self.assertEqual({}, stack["texts"])
        self.assertEqual("", web["reason"])
        self.assertEqual({}, web["fields"])

    def test_what_replaces_a_resource_is_shown_once_it_begins(self) -> None:
        stack_id = self.make()
        new = ids.ResourceId(ids.new())
        old = self.put_resource(stack_id, "web", replaced_by=new)
        self.put_resource(
            stack_id,
            "web",
            id=new,
            action=states.Action.INIT,
            created_at=fakes.NOW + 1,
        )
        self.put_resource(stack_id, "gone", action=states.Action.DELETE)

        found = self.read(stack_id)["documents"]

        self.assertEqual(
            [f"resource/{old.id}"], [each["id"] for each in found[1:]]
        )

    def test_drift_is_told_where_somebody_has_looked(self) -> None:
        stack_id = self.make()
        rows = [self.put_resource(stack_id, name) for name in ("a", "b", "c")]
        self.assertEqual("", self.stack_of(stack_id)["drift"])
        difference = observation.Difference(
            property="flavor", expected="small", live=searchable.SECRET
        )
        seen = [
            observation.Observation(
                root_id=stack_id,
                stack_id=stack_id,
                resource_id=rows[0].id,
                state=observation.State.DRIFTED,
                differences=(difference,),
                observed_at=fakes.NOW + 1,
            ),
            observation.Observation(
                root_id=stack_id,
                stack_id=stack_id,
                resource_id=rows[1].id,
                state=observation.State.IN_SYNC,
                observed_at=fakes.NOW - 1,
            ),
        ]
        with self.database.write() as connection:
            observations.save_many(connection, seen)

        found = {
            each["name"]: each for each in self.read(stack_id)["documents"]
        }

        self.assertEqual(
            {"app": "drifted", "a": "drifted", "b": "unknown", "c": ""},
            {name: each["drift"] for name, each in found.items()},
        )
        self.assertEqual(["flavor"], found["a"]["fields"]["drift.properties"])
        self.assertNotIn(searchable.SECRET, repr(found))

    def test_one_with_a_hidden_tag_is_for_administrators(self) -> None:
        stack_id = self.make()
        self.set_stack(stack_id, tags=("secret-service",))
        self.put_resource(stack_id, "web")

        found = self.read(stack_id)["documents"]

        self.assertEqual([True, True], [e["is_hidden"] for e in found])


class AdminTest(searchable.TestCase):
    def test_s3_who_runs_it_is_for_administrators(self) -> None:
        stack_id = self.make()
        with self.database.engine.begin() as connection:
            connection.execute(
                sa.text("UPDATE operations SET owner = 'worker-9'")
            )

        found = self.stack_of(stack_id)

        self.assertEqual(["worker-9"], found["admin"]["operation.worker"])
        self.assertNotIn("worker-9", repr(found["fields"]))

    def test_s3_where_things_were_placed_is_for_administrators(self) -> None:
        stack_id = self.make()
        self.put_resource(stack_id, "web")
        subject = self.get_stack(stack_id)
        assert subject.operation_id is not None
        with self.database.write() as connection:
            decisions.save(
                connection,
                subject,
                operations.get(connection, subject.operation_id),
                "racks",
                {
                    "": {"zone": "z1", "word": searchable.SECRET},
                    "web": {"rack": "r7"},
                },
            )

        stack, web = self.read(stack_id)["documents"]

        self.assertEqual(["z1"], stack["admin"]["decisions.racks.zone"])
        self.assertNotIn("decisions.racks.word", stack["admin"])
        self.assertEqual({"decisions.racks.rack": ["r7"]}, web["admin"])

    def test_what_plug_ins_have_said_is_told(self) -> None:
        stack_id = self.make()
        subject = self.get_stack(stack_id)
        assert subject.operation_id is not None
        said = [
            ("quota", "warn", "nearly full", None),
            ("racks", "allow", "", None),
            ("rules", None, "", f"no answer of {searchable.SECRET}"),
        ]
        calls = tuple(
            lifecycle.Call(
                plugin=plugin,
                phase=lifecycle.PRE,
                ruling=ruling,
                text=text,
                error=error,
                began_at=fakes.NOW,
            )
            for plugin, ruling, text, error in said
        )
        with self.database.write() as connection:
            stored_lifecycle.save(
                connection,
                lifecycle.Run(
                    operation_id=subject.operation_id,
                    attempt=1,
                    verb="create",
                    stack_id=stack_id,
                    project_id="demo",
                    chain=("quota", "racks", "rules"),
                    calls=calls,
                    began_at=fakes.NOW,
                ),
            )

        found = self.stack_of(stack_id)["fields"]

        self.assertEqual(["quota", "rules"], found["verdicts.plugin"])
        self.assertEqual(["warn", "deny"], found["verdicts.verdict"])
        self.assertEqual(
            ["nearly full", "no answer of ******"], found["verdicts.text"]
        )
