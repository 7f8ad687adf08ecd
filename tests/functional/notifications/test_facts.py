"""What a notification of a stack tells beside Heat's keys."""

import json
import typing

from tests.functional import holding
from tests.functional.notifications import notification_case
from tests.support import listeners
from tests.support import rest
from tests.support import world_templates

Json = notification_case.Json

_SECRET: typing.Final = "correct horse battery"
_DEFAULT: typing.Final = "staple by default"
_PUBLIC: typing.Final = "https://cloud.example.net:8004"


def secretive() -> Json:
    """Return a template that hides a value, and leads it everywhere."""
    return {
        "heat_template_version": "2021-04-16",
        "parameters": {
            "secret": {
                "type": "string",
                "hidden": True,
                "default": _DEFAULT,
            },
            "size": {"type": "number", "default": 2},
            "shown": {"type": "string", "default": "plain"},
        },
        "resources": {
            "kid": {
                "type": "kid.yaml",
                "properties": {"given": {"get_param": "secret"}},
            },
            "a": world_templates.declare_resource(
                label={"get_param": "secret"}
            ),
        },
        "outputs": {
            "led": {"value": {"get_param": "secret"}},
            "by_way": {"value": {"get_attr": ["a", "label"]}},
            "shown": {"value": {"get_param": "shown"}},
        },
    }


KID: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {"given": {"type": "string"}},
        "resources": {
            "a": world_templates.declare_resource(
                label={"get_param": "given"}
            ),
            "deep": {
                "type": "deep.yaml",
                "properties": {"given": {"get_param": "given"}},
            },
        },
    }
)
DEEP: typing.Final = json.dumps(
    {
        "heat_template_version": "2021-04-16",
        "parameters": {"given": {"type": "string"}},
        "resources": {
            "b": world_templates.declare_resource(label={"get_param": "given"})
        },
    }
)


class FactsCase(notification_case.NotificationTestCase):
    """Stacks in a stack, and a secret."""

    def create_secretive(self, **body: object) -> rest.Stack:
        return self.created(
            secretive(),
            files={"kid.yaml": KID, "deep.yaml": DEEP},
            parameters={"secret": _SECRET},
            **body,
        )

    def of_tree(self, root_id: str) -> list[listeners.Heard]:
        """Return what is heard of the stacks of a tree so far."""
        return [
            each
            for each in self.listener.heard
            if each.payload["root_id"] == root_id
        ]

    def check_secret(self, heard: list[listeners.Heard]) -> None:
        """Check that what is hidden is in nothing that was heard."""
        self.assertNotEqual([], heard)
        for each in heard:
            text = json.dumps(each.payload)
            for secret in (_SECRET, _DEFAULT):
                self.assertNotIn(secret, text, each.event_type)


class DefaultTests(FactsCase):
    def test_stacks_at_any_depth_say_where_they_are(self) -> None:
        stack = self.create_secretive()
        self.hear(stack, "create.end")

        ended = {
            str(each.payload["path"]): each.payload
            for each in self.of_tree(stack.id)
            if notification_case.kind_of(each) == "create.end"
        }

        self.assertEqual(
            {
                self.name: (0, None),
                f"{self.name}/kid": (1, "kid"),
                f"{self.name}/kid/deep": (2, "deep"),
            },
            {
                path: (told["depth"], told["parent_resource"])
                for path, told in ended.items()
            },
        )
        kid = ended[f"{self.name}/kid"]
        deep = ended[f"{self.name}/kid/deep"]
        self.assertEqual(stack.id, kid["parent_id"])
        self.assertEqual(kid["stack_identity"], deep["parent_id"])

    def test_parameters_are_told_and_hidden_ones_are_covered(self) -> None:
        stack = self.create_secretive()
        self.hear(stack, "create.end")

        heard = self.of_tree(stack.id)

        told = {
            (
                each.payload["depth"],
                notification_case.kind_of(each),
            ): each.payload
            for each in heard
        }
        own = typing.cast(Json, told[0, "create.end"]["parameters"])
        self.assertEqual(
            ("******", "2", "plain", self.name),
            tuple(
                own[name]
                for name in ("secret", "size", "shown", "OS::stack_name")
            ),
        )
        for depth in (1, 2):
            inner = typing.cast(Json, told[depth, "create.end"]["parameters"])
            self.assertEqual("******", inner["given"])
        self.check_secret(heard)

    def test_without_options_a_template_is_told_by_its_hash(self) -> None:
        stack = self.create_secretive()
        begun = self.hear_one(stack, "create.start")
        ended = self.hear_one(stack, "create.end")
        self.update(stack, world_templates.chain())

        updated = self.hear_one(stack, "update.start")

        self.assertEqual(begun["template_hash"], ended["template_hash"])
        self.assertNotEqual(begun["template_hash"], updated["template_hash"])
        self.assertEqual(
            (None, None, None, []),
            tuple(
                ended[key]
                for key in ("template", "outputs", "region", "links")
            ),
        )

    def test_limits_and_rollback_are_told(self) -> None:
        stack = self.create_secretive(
            timeout_mins=17, disable_rollback=False, tags="x,y"
        )

        told = self.hear_one(stack, "create.end")

        self.assertEqual(
            (17, False, ["x", "y"]),
            (told["timeout_mins"], told["disable_rollback"], told["tags"]),
        )

    def test_who_acts_is_told_apart_from_whose_it_is(self) -> None:
        ann = self.client_of("u1", "ann")
        stack = ann.create(self.name, world_templates.chain())
        ann.wait(stack, "CREATE_COMPLETE")
        self.client_of("u2", "bob").delete(stack)

        heard = self.hear(stack, "create.end", "delete.end")

        keys = ("user_id", "username", "user_identity", "owner", "owner_id")
        self.assertEqual(
            [
                ("ann", "ann", "u1", "ann", "u1"),
                ("bob", "bob", "u2", "ann", "u1"),
            ],
            [tuple(heard[n].payload[key] for key in keys) for n in (0, -1)],
        )
        for each in heard:
            for key, told in (
                ("user_id", "user_identity"),
                ("request_id", "request_id"),
            ):
                self.assertEqual(each.context[key], each.payload[told])
        self.assertEqual(
            2, len({each.payload["request_id"] for each in heard})
        )

    def client_of(self, user_id: str, user_name: str) -> rest.Client:
        found = rest.Client(
            self.system.endpoint, user_id=user_id, user_name=user_name
        )
        self.addCleanup(found.close)
        return found

    def test_nothing_of_a_single_resource_is_told(self) -> None:
        stack = self.create()

        heard = self.hear(stack, "create.end")

        self.assertEqual(
            ["create.start", "create.end"],
            [notification_case.kind_of(each) for each in heard],
        )


class FullTests(FactsCase):
    notifications: typing.ClassVar[dict[str, object]] = {
        "template": "full",
        "outputs": "true",
        "region": "north",
    }
    options: typing.ClassVar[typing.Any] = {"api": {"public_url": _PUBLIC}}

    def test_templates_are_told_without_what_is_hidden(self) -> None:
        stack = self.create_secretive()
        told = self.hear_one(stack, "create.end")

        self.assertEqual(
            "******", told["template"]["parameters"]["secret"]["default"]
        )
        self.assertEqual(
            secretive()["resources"], told["template"]["resources"]
        )
        (inner,) = (
            each.payload
            for each in self.of_tree(stack.id)
            if (each.payload["depth"], notification_case.kind_of(each))
            == (1, "create.end")
        )
        self.assertEqual(json.loads(KID), inner["template"])
        self.check_secret(self.of_tree(stack.id))

    def test_outputs_are_told_at_the_end_without_what_is_hidden(self) -> None:
        stack = self.create_secretive()

        begun = self.hear_one(stack, "create.start")
        told = self.hear_one(stack, "create.end")

        self.assertIsNone(begun["outputs"])
        self.assertEqual(
            {"led": "******", "by_way": "******", "shown": "plain"},
            told["outputs"],
        )

    def test_region_and_links_are_told(self) -> None:
        stack = self.create()

        told = self.hear_one(stack, "create.end")

        self.assertEqual("north", told["region"])
        project = told["project_id"]
        self.assertEqual(
            [
                {
                    "href": f"{_PUBLIC}/v1/{project}/stacks/{self.name}"
                    f"/{stack.id}",
                    "rel": "self",
                }
            ],
            told["links"],
        )


class ResourceTests(FactsCase):
    notifications: typing.ClassVar[dict[str, object]] = {
        "resources": "true",
        "template": "none",
    }
    options: typing.ClassVar[typing.Any] = {"api": {"public_url": _PUBLIC}}

    def test_each_is_told_in_order_with_its_stack(self) -> None:
        stack = self.create()
        self.act(stack, "check")
        self.hear(stack, "check.end")
        self.client.delete(stack)

        heard = self.hear(stack, "delete.end")

        told = [
            (
                each.event_type.removeprefix("orchestration."),
                each.payload.get("resource_name"),
            )
            for each in heard
            if not each.event_type.startswith("orchestration.stack.drift")
        ]
        expected: list[tuple[str, str | None]] = []
        for action, names in (
            ("create", "abc"),
            ("check", "abc"),
            ("delete", "cba"),
        ):
            of_one = [
                (f"resource.{action}.{ending}", name)
                for name in names
                for ending in ("start", "end")
            ]
            begun, ended = (
                (f"stack.{action}.{ending}", None)
                for ending in ("start", "end")
            )
            if action == "check":
                self.assertEqual(
                    set(of_one), set(told[len(expected) + 1 :][:6])
                )
                of_one = told[len(expected) + 1 :][:6]
            expected += [begun, *of_one, ended]
        self.assertEqual(expected, told)
        self.assertIsNone(heard[-1].payload["template_hash"])

    def test_properties_are_told_without_what_is_hidden(self) -> None:
        stack = self.create_secretive()
        self.hear(stack, "create.end")

        heard = self.of_tree(stack.id)

        told = {
            str(each.payload["path"]): each.payload
            for each in heard
            if each.event_type == "orchestration.resource.create.end"
        }
        self.assertEqual(
            {
                f"{self.name}/a",
                f"{self.name}/kid",
                f"{self.name}/kid/a",
                f"{self.name}/kid/deep",
                f"{self.name}/kid/deep/b",
            },
            set(told),
        )
        for path in ("a", "kid/a", "kid/deep/b"):
            found = told[f"{self.name}/{path}"]
            shown = typing.cast(Json, found["properties"])
            self.assertEqual("******", shown["label"], path)
        self.check_secret(heard)

    def test_ids_and_links_lead_to_the_resource(self) -> None:
        stack = self.create()
        self.hear(stack, "create.end")
        rows = self.client.resources(stack)

        (told,) = (
            each.payload
            for each in self.listener.of(stack.id)
            if each.event_type == "orchestration.resource.create.end"
            and each.payload["resource_name"] == "b"
        )

        self.assertEqual(
            rows["b"]["physical_resource_id"], told["physical_resource_id"]
        )
        self.assertEqual(
            [
                ("self", f"/{stack.id}/resources/b"),
                ("stack", f"/{self.name}/{stack.id}"),
            ],
            [
                (link["rel"], link["href"][-len(end) :])
                for link, end in zip(
                    typing.cast(list[Json], told["links"]),
                    (
                        f"/{stack.id}/resources/b",
                        f"/{self.name}/{stack.id}",
                    ),
                    strict=True,
                )
            ],
        )

    def test_a_failure_is_an_error_with_its_reason(self) -> None:
        self.world.order(
            self.name, "create", "b", how="permanent", moment="before"
        )
        stack = self.client.create(self.name, world_templates.chain())
        self.hear(stack, "create.error")

        (told,) = (
            each
            for each in self.listener.of(stack.id)
            if each.event_type == "orchestration.resource.create.error"
        )

        self.assertEqual("error", told.priority)
        self.assertEqual(
            ("b", "CREATE_FAILED"),
            (told.payload["resource_name"], told.payload["state"]),
        )
        self.assertIn("Permanent", str(told.payload["state_reason"]))


class BesideOperationsTests(FactsCase):
    """What no operation of a stack tells of."""

    def test_breakpoints_are_told_when_they_are_reached_and_cleared(
        self,
    ) -> None:
        stack = self.client.create(
            self.name,
            world_templates.chain(),
            environment=holding.hooks(b="pre-create"),
        )
        reached = self.hear_one(stack, "hook.reached")
        self.client.ask(
            "POST",
            f"{stack.path}/resources/b/signal",
            {"unset_hook": "pre-create"},
        )

        heard = self.hear(stack, "create.end")

        self.assertEqual(
            [
                ("create.start", {}),
                ("hook.reached", {"CREATE_COMPLETE": 1, "INIT_COMPLETE": 2}),
                ("hook.cleared", {"CREATE_COMPLETE": 1, "INIT_COMPLETE": 2}),
                ("create.end", {"CREATE_COMPLETE": 3}),
            ],
            [
                (
                    notification_case.kind_of(each),
                    each.payload["resource_counts"]["by_status"],
                )
                for each in heard
            ],
        )
        self.assertEqual(
            {
                "name": "pre-create",
                "resource_name": "b",
                "resource_type": "Test::World::Thing",
                "physical_resource_id": None,
            },
            reached["hook"],
        )
        self.assertEqual(
            "CREATE paused until Hook pre-create is cleared",
            reached["state_reason"],
        )

    def test_a_resource_that_is_marked_is_told_of(self) -> None:
        stack = self.create()
        self.hear(stack, "create.end")
        self.mark(
            stack,
            "b",
            mark_unhealthy=True,
            resource_status_reason="it smells",
        )

        kind = "orchestration.resource.check.error"
        told = self.hear_one(stack, kind)

        self.assertEqual(
            ("b", "CHECK_FAILED", "it smells", f"{self.name}/b"),
            tuple(
                told[key]
                for key in ("resource_name", "state", "state_reason", "path")
            ),
        )

    def test_a_signal_is_told_of_and_not_what_it_says(self) -> None:
        stack = self.created(
            world_templates.template(
                handle={"type": "OS::Heat::WaitConditionHandle"}
            )
        )
        self.hear(stack, "create.end")
        self.client.ask(
            "POST",
            f"{stack.path}/resources/handle/signal",
            {"id": "1", "status": "SUCCESS", "data": _SECRET},
        )

        told = self.hear_one(stack, "orchestration.resource.signal.end")

        self.assertEqual("handle", told["resource_name"])
        self.assertEqual("SIGNAL_COMPLETE", told["state"])
        self.check_secret(self.listener.of(stack.id))
