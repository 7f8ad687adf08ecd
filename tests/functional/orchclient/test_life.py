"""Stacks from their beginning to their end, by the library."""

import orchclient
from orchclient import errors
from orchclient import models
from orchclient import operation_errors
from tests.functional.orchclient import connecting
from tests.support import waiting
from tests.support import world_templates

Package = connecting.Package


class LifeTests(connecting.ClientTestCase):
    def test_a_stack_is_made_changed_and_removed(self) -> None:
        wanted = {
            **world_templates.chain("old"),
            "outputs": {"a": {"value": {"get_attr": ["a", "label"]}}},
        }
        stack = self.orch.stacks.create(
            self.name, Package(template=wanted), tags=["one", "two"]
        )

        made = self.wait(stack)

        self.assertEqual(("CREATE", "COMPLETE"), (made.action, made.state))
        self.assertEqual((3, 3), (made.done, made.total))
        shown = self.orch.stacks.show(self.name)
        self.assertEqual(stack, shown.identity)
        self.assertEqual("CREATE_COMPLETE", str(shown.status))
        self.assertEqual(("one", "two"), shown.tags)
        self.assertEqual({"a": "old"}, shown.output_values)
        self.assertEqual("old", self.orch.stacks.output(stack, "a").value)

        wanted = {**wanted, **world_templates.chain("new")}
        self.orch.stacks.update(stack, Package(template=wanted))
        self.wait(stack)

        self.assertEqual({"new"}, set(self.labels().values()))
        self.assertEqual("UPDATE_COMPLETE", self.status(stack))

        self.orch.stacks.delete(self.name)
        self.wait(stack)

        self.assertEqual([], self.names())
        self.assertIsNone(self.orch.stacks.find(self.name))
        self.assertIsNone(self.orch.stacks.find(stack))
        self.assertEqual("DELETE_COMPLETE", self.status(stack))

    def test_an_update_without_a_template_changes_what_it_names(self) -> None:
        wanted = {
            **connecting.template(
                a=connecting.declare_resource(label={"get_param": "label"})
            ),
            "parameters": {
                "label": {"type": "string", "default": "first"},
                "other": {"type": "string", "default": "x"},
            },
        }
        environment = self.write("env.yaml", "parameters: {label: second}\n")
        stack = self.orch.stacks.create(
            self.name,
            Package(
                template=wanted,
                files={"env.yaml": environment.read_text()},
                environment_files=("env.yaml",),
            ),
            parameters={"other": "y"},
        )
        self.wait(stack)
        self.assertEqual({"a": "second"}, self.labels())

        self.orch.stacks.update(stack, parameters={"label": "third"})
        self.wait(stack)

        self.assertEqual({"a": "third"}, self.labels())
        shown = self.orch.stacks.show(stack)
        self.assertEqual("y", shown.parameters["other"])

    def test_parameters_count_more_than_files_of_environments(self) -> None:
        wanted = {
            **connecting.template(
                a=connecting.declare_resource(label={"get_param": "label"})
            ),
            "parameters": {"label": {"type": "string"}},
        }
        stack = self.orch.stacks.create(
            self.name,
            Package(
                template=wanted,
                files={"env.yaml": "parameters: {label: file}"},
                environment_files=("env.yaml",),
            ),
            parameters={"label": "request"},
        )

        self.wait(stack)

        self.assertEqual({"a": "request"}, self.labels())

    def test_stacks_are_listed(self) -> None:
        first = self.create(
            world_templates.template(a=world_templates.declare_resource())
        )
        self.take_name()
        second = self.orch.stacks.create(
            self.name,
            Package(template=world_templates.template()),
            tags=["listed"],
        )
        self.wait(second)

        by_page = list(self.orch.stacks.list(page_size=1))
        tagged = list(self.orch.stacks.list(tags=["listed"]))
        named = list(self.orch.stacks.list(name=first.name))

        ids = {each.id for each in by_page}
        self.assertEqual(len(ids), len(by_page))
        self.assertLessEqual({first.id, second.id}, ids)
        self.assertEqual([second], [each.identity for each in tagged])
        self.assertEqual([first], [each.identity for each in named])

    def test_actions_run(self) -> None:
        stack = self.create()

        for act, status in (
            (self.orch.stacks.suspend, "SUSPEND_COMPLETE"),
            (self.orch.stacks.resume, "RESUME_COMPLETE"),
            (self.orch.stacks.check, "CHECK_COMPLETE"),
        ):
            act(stack)
            self.wait(stack)
            self.assertEqual(status, self.status(stack))

    def test_what_runs_is_cancelled(self) -> None:
        self.world.order(self.name, "create", "b")
        stack = self.orch.stacks.create(
            self.name, Package(template=world_templates.chain())
        )
        self.wait_for_act("create", "b")

        self.orch.stacks.cancel(stack, rollback=False)

        error = self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )
        self.assertIn("cancelled", str(error))

    def test_a_creation_that_was_rolled_back_has_failed(self) -> None:
        self.fail_once("create", "b")
        stack = self.orch.stacks.create(
            self.name,
            Package(template=world_templates.chain()),
            disable_rollback=False,
        )
        waiting.wait_for(
            lambda: self.status(stack) == "ROLLBACK_COMPLETE", "the rollback"
        )

        error = self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )

        assert isinstance(error, operation_errors.OperationFailedError)
        self.assertEqual("CREATE", error.operation.action)

    def test_an_update_that_was_cancelled_is_rolled_back(self) -> None:
        stack = self.create(world_templates.chain("old"))
        self.world.order(self.name, "update", "b")
        self.orch.stacks.update(
            stack, Package(template=world_templates.chain("new"))
        )
        self.wait_for_act("update", "b")

        self.orch.stacks.cancel(stack)
        self.world.release(self.name)

        self.assertEqual("ROLLBACK", self.wait(stack).action)
        self.assertEqual({"old"}, set(self.labels().values()))

    def test_documents_are_read(self) -> None:
        stack = self.create()

        self.assertEqual(
            world_templates.chain(), self.orch.stacks.template(stack)
        )
        self.assertEqual({}, self.orch.stacks.files(self.name))
        self.assertIn("parameters", self.orch.stacks.environment(stack))
        self.assertEqual((), self.orch.stacks.outputs(stack))


class RefusedTests(connecting.ClientTestCase):
    def test_all_that_is_wrong_with_a_template_is_told(self) -> None:
        path = self.write(
            "t.yaml",
            "heat_template_version: 2021-04-16\n"
            "resources:\n"
            "  a: {type: No::Such::Type}\n"
            "  b:\n"
            "    type: Test::World::Thing\n"
            "    properties: {colour: red}\n",
        )
        source = Package(template=path.read_text())

        error = self.assertRaises(
            errors.BadRequestError,
            self.orch.stacks.create,
            self.name,
            source,
        )

        assert isinstance(error, errors.BadRequestError)
        self.assertEqual("StackValidationFailed", error.type)
        self.assertTrue(error.request_id.startswith("req-"))
        self.assertEqual({3, 6}, {each.line for each in error.problems})

    def test_a_name_that_is_taken_is_a_conflict(self) -> None:
        self.create(world_templates.template())

        error = self.assertRaises(
            errors.ConflictError,
            self.orch.stacks.create,
            self.name,
            Package(template=world_templates.template()),
        )

        self.assertEqual("StackExists", error.type)  # type: ignore[attr-defined]

    def test_a_stack_that_is_not_there_is_not_found(self) -> None:
        for stack in (
            "no-such",
            models.StackIdentity("no", "6c3b0a8e-5f3a-4a0f-9d7c-0f6f7b1d2a11"),
        ):
            self.assertRaises(
                errors.NotFoundError, self.orch.stacks.show, stack
            )
            self.assertIsNone(self.orch.stacks.find(stack))

    def test_where_nobody_listens_it_is_said_why(self) -> None:
        orch = orchclient.connect(endpoint="http://127.0.0.1:1/v1/demo")

        error = self.assertRaises(errors.ConnectError, orch.stacks.show, "s")

        self.assertEqual(
            "No answer to GET /stacks/s: Connection refused", str(error)
        )


class RetryTests(connecting.ClientTestCase):
    """R3 and R5: by one call, with the name of the stack alone."""

    def test_whatever_failed_goes_on(self) -> None:
        self.create_failed()

        self.orch.stacks.retry(self.name)
        done = self.wait(self.name)

        self.assertEqual(["a", "b", "c"], self.names())
        self.assertEqual(
            ["FAILED", "COMPLETE"], [each.state for each in done.attempts]
        )
        self.assertEqual(["a", "b", "b", "c"], self.acts("create"))

    def test_each_action_goes_on_by_its_name(self) -> None:
        stack = self.create_failed()
        self.orch.stacks.retry(stack, "create")
        self.wait(stack)

        self.fail_once("update", "b")
        self.orch.stacks.update(
            stack, Package(template=world_templates.chain("new"))
        )
        self.go_on(stack, "update")
        for act in ("suspend", "resume", "check", "snapshot"):
            self.fail_once(act, "b")
            if act == "snapshot":
                self.orch.snapshots.create(stack)
            else:
                getattr(self.orch.stacks, act)(stack)
            self.go_on(stack, act)
        self.fail_once("delete", "b")
        self.orch.stacks.delete(stack)
        self.go_on(stack, "delete")

        self.assertEqual([], self.names())

    def go_on(self, stack: models.StackIdentity, action: str) -> None:
        error = self.assertRaises(
            operation_errors.OperationFailedError, self.wait, stack
        )
        assert isinstance(error, operation_errors.OperationFailedError)
        self.assertEqual(("b",), error.failures[0].path)
        self.orch.stacks.retry(stack, action)
        done = self.wait(stack)
        self.assertEqual(action.upper(), done.action)
        self.assertEqual(2, done.attempt)

    def test_a_retry_of_what_has_not_failed_is_refused(self) -> None:
        stack = self.create_failed()

        self.assertRaises(
            errors.ConflictError, self.orch.stacks.retry, stack, "update"
        )
        self.orch.stacks.retry(stack, "create")
        self.wait(stack)
        self.assertRaises(errors.ConflictError, self.orch.stacks.retry, stack)

    def test_resources_are_left_out(self) -> None:
        stack = self.create_failed()

        self.orch.stacks.retry(stack, orphan=["b"], keep_going=True)
        done = self.wait(stack)

        self.assertEqual(("b",), done.orphan)
        self.assertTrue(done.keep_going)

    def test_resources_are_replaced(self) -> None:
        stack = self.create_failed()

        self.orch.stacks.retry(stack, replace=["b"])
        done = self.wait(stack)

        self.assertEqual(("b",), done.replace)
