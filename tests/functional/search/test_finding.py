"""S1: whatever is deployed is found, at any depth, and where it is."""

import time
import typing
import urllib.parse

from tests.functional import observing
from tests.functional.search import finding
from tests.support import rest
from tests.support import waiting
from tests.support import world_templates

_THING = "Test::World::Thing"


class FindingTests(finding.SearchTestCase):
    def check(self, q: str, *paths: str) -> None:
        self.assertEqual(sorted(paths), self.found(q), q)

    def hit(self, q: str) -> finding.Json:
        """Return the only hit."""
        (found,) = self.search(q)["hits"]
        return typing.cast(finding.Json, found)

    def test_s1_by_name(self) -> None:
        # A stack in another has a name that begins with the other's.
        self.check("name:shop", "shop", "shop/front")
        self.check("name:deep", "shop/front/deep")
        self.check("name:nothing")

    def test_s1_by_any_word_of_it(self) -> None:
        self.check("marigolds kind:stack", "shop")
        self.check('"shop of marigolds" kind:stack', "shop")
        self.check("marig* kind:stack", "shop")
        self.check('"marigolds of shop" kind:stack')

    def test_s1_without_accents_width_and_symbols(self) -> None:
        template = finding.FAILING.replace(
            "fail: true", 'value: "Foo™ 北京市"'
        )
        template = f"{template}description: Büro, ＺＵ\u0308ＲＩＣＨ\n"
        client = self.client
        client.wait(client.create("office", template), "CREATE_COMPLETE")

        finding.wait_for_paths(
            client,
            "path:office* status:CREATE_COMPLETE",
            ["office", "office/bad"],
        )
        self.check("buro zurich", "office")
        self.check("description:Zürich", "office")
        self.check("value:fo*", "office/bad")
        self.check("foo name:bad", "office/bad")
        self.check('"北京" kind:resource', "office/bad")
        self.check("footm")
        (hit,) = self.search("zurich kind:stack")["hits"]
        self.assertEqual(
            ["Büro, <em>ＺＵ\u0308ＲＩＣＨ</em>"],
            hit["highlights"]["description"],
        )

    def test_s1_by_state(self) -> None:
        self.check(
            "kind:stack status:complete path:shop*", "shop", "shop/front"
        )
        self.check("status:CREATE_COMPLETE name:deep", "shop/front/deep")
        self.check("status:failed path:shop*")

    def test_s1_by_owner_and_tag(self) -> None:
        client = self.client
        stack = client.create("tagged", finding.FAILING, tags="blue,green")
        client.wait(stack, "CREATE_FAILED")

        finding.wait_for_paths(
            client,
            "tag:blue tag:green status:failed",
            ["tagged", "tagged/bad"],
        )
        self.assertNotIn("tagged", self.found("NOT tag:blue"))

    def test_s1_by_the_reason_of_a_failure(self) -> None:
        stack = self.client.create("failing", finding.FAILING)
        self.client.wait(stack, "CREATE_FAILED")

        finding.wait_for_paths(
            self.client, "name:bad path:failing/*", ["failing/bad"]
        )
        reason = self.client.resources(stack)["bad"]["resource_status_reason"]
        phrase = str(reason).replace('"', "")
        waiting.wait_for(
            lambda: "failing" in self.found(f'"{phrase}" kind:stack'),
            phrase,
            finding.SOON_S,
        )

    def test_s1_by_text_of_the_template(self) -> None:
        self.check("template:get_param kind:stack", "shop", "shop/front")
        self.check('template:"length: 24"', "shop")

    def test_s1_by_parameter_and_output(self) -> None:
        self.check("parameters.size:enormous", "shop")
        self.check("size:enormous", "shop")
        self.check("parameters.label:lilac", "shop/front")
        self.check("outputs.address:*orchid*", "shop")

    def test_s1_by_type_and_property(self) -> None:
        self.check(f"type:{_THING}", "shop/front/deep", "shop/web")
        self.check(f"type:{_THING} label:tulip", "shop/web")
        self.check("properties.length:>10", "shop/long")
        self.check("length:[8 TO 24]", "shop/long", "shop/short")

    def test_s1_by_operation(self) -> None:
        self.check(
            "operation.action:create operation.state:complete path:shop*",
            "shop",
            "shop/front",
        )

    def test_s1_by_drift(self) -> None:
        stack = self.client.create(
            self.name,
            world_templates.template(
                a=observing.single(), b=observing.single()
            ),
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        self.world.relabel(self.name, "b", "edited")

        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})

        finding.wait_for_paths(
            self.client, "drift:true kind:resource", [f"{self.name}/b"]
        )
        self.check("drift:true kind:stack", self.name)

    def test_s1_by_being_in_sync(self) -> None:
        # A look that finds no drift makes no event; the index is told of it.
        stack = self.client.create(
            self.name, world_templates.template(a=observing.single())
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        q = f"path:{self.name}* drift:false"
        finding.wait_for_paths(
            self.client,
            f"path:{self.name}* status:CREATE_COMPLETE",
            [self.name, f"{self.name}/a"],
        )
        self.check(q)

        self.client.ask("POST", f"{stack.path}/actions", {"observe": None})

        finding.wait_for_paths(self.client, q, [self.name, f"{self.name}/a"])

    def test_s1_by_a_name_that_looks_like_a_slip(self) -> None:
        wanted = {
            **world_templates.template(),
            "outputs": {"staus": {"value": "lilac"}},
        }
        refused = self.refused(self.client, "/search?q=staus%3Alilac")
        self.client.create(self.name, wanted)
        finding.wait_for_paths(self.client, "outputs.staus:lilac", [self.name])

        self.assertEqual(400, refused.status)
        self.check("staus:lilac", self.name)

    def test_s1_by_path_at_any_depth(self) -> None:
        self.check("path:*/front/*", "shop/front/deep")
        self.check("path:shop/web", "shop/web")

    def test_s1_by_the_id_that_the_cloud_gave(self) -> None:
        shown = self.client.resources(self.stack)["web"]
        physical_id = shown["physical_resource_id"]

        hit = self.hit(f'physical_id:"{physical_id}"')

        self.assertEqual(
            ("shop/web", "resource", self.stack.id, physical_id),
            tuple(
                hit[key] for key in ("path", "kind", "stack_id", "physical_id")
            ),
        )

    def test_a_hit_leads_to_its_stack(self) -> None:
        hit = self.hit("marigolds kind:stack")

        (link,) = hit["links"]
        self.assertEqual(
            f"{self.system.endpoint}{self.stack.path}", link["href"]
        )
        inner = self.hit("path:shop/front kind:stack")
        resource = self.hit("name:deep")
        self.assertEqual(inner["stack_id"], resource["stack_id"])
        self.assertTrue(
            resource["links"][0]["href"].endswith(f"/{inner['stack_id']}")
        )
        shown = self.client.get(f"/stacks/{inner['stack_id']}", "stack")
        self.assertEqual(self.stack.id, shown["parent"])

    def test_what_is_deleted_is_not_found_but_was(self) -> None:
        stack = self.client.create(
            "passing", "heat_template_version: 2021-04-16"
        )
        self.client.wait(stack, "CREATE_COMPLETE")
        q = "path:passing status:CREATE_COMPLETE"
        finding.wait_for_paths(self.client, q, ["passing"])
        then = time.time()
        waiting.wait_for(lambda: time.time() > then + 0.01, "time to pass")

        self.client.delete(stack)

        finding.wait_for_paths(self.client, "path:passing", [])
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(then))
        fraction = f"{then % 1:.6f}"[1:]
        self.assertEqual(
            ["passing"], self.found(q, as_of=f"{moment}{fraction}Z")
        )

    def test_a_wrong_query_has_a_position_and_a_hint(self) -> None:
        error = self.refused(self.client, "/search?q=name%3Ashop%20)")

        self.assertEqual(400, error.status)
        body = typing.cast(finding.Json, error.body)
        self.assertEqual(11, body["where"]["column"])
        self.assertIn("11", error.message)
        self.assertTrue(body["hint"])

    def test_unknown_names_are_refused_with_the_nearest(self) -> None:
        self.check("label:tulip", "shop/web")
        for key, place in (
            ("sort", "sort[0].field"),
            ("facet", "facets[0].field"),
            ("stats", "statistics[0]"),
            ("q", ""),
        ):
            wrong = "labbel:x" if key == "q" else "labbel"
            error = self.refused(
                self.client, f"/search?{urllib.parse.urlencode({key: wrong})}"
            )
            body = typing.cast(finding.Json, error.body)
            self.assertEqual(400, error.status, key)
            self.assertIn(place, error.message)
            self.assertIn("there is no field labbel", error.message)
            self.assertIn("did you mean label?", body["hint"], key)
        terms, mean = (
            {kind: {"field": "labbel"}} for kind in ("terms", "avg")
        )
        for place, asked in (
            ("query.term.labbel", {"query": {"term": {"labbel": "x"}}}),
            ("sort[1]", {"sort": ["name", {"labbel": "desc"}]}),
            ("aggregations.a.terms.field", {"aggs": {"a": terms}}),
            ("aggregations.b.avg.field", {"aggs": {"b": mean}}),
        ):
            error = self.refused(self.client, "/search", asked)
            self.assertEqual(400, error.status, place)
            self.assertIn(f"{place}: there is no field", error.message)
            self.assertIn("did you mean label?", error.message)

    def test_operators_that_do_not_exist_are_refused(self) -> None:
        for q, said in (
            ("length:=>8", "=> is no operator"),
            ("tulip~1", "~1 is no operator"),
            ("name:shop^2", "^2 is no operator"),
        ):
            error = self.refused(
                self.client, f"/search?{finding.query_string(q)}"
            )
            self.assertEqual(400, error.status, q)
            self.assertIn(said, error.message)
        error = self.refused(
            self.client,
            "/search",
            {"query": {"match": {"name": {"query": "x", "type": "fuzzy"}}}},
        )
        self.assertIn("query.match.name: the type is fuzzy", error.message)

    def test_a_wrong_query_of_several_lines_tells_which(self) -> None:
        for q, column, hint in (
            ("name:shop\n  status:broken", 10, "COMPLETE, FAILED"),
            ("name:shop\ntyp:x", 1, "did you mean type?"),
            ("name:shop\n[1 TO 2]", 1, "write the field before it"),
        ):
            error = self.refused(
                self.client, f"/search?{finding.query_string(q)}"
            )

            body = typing.cast(finding.Json, error.body)
            self.assertEqual(2, body["where"]["line"], q)
            self.assertEqual(column, body["where"]["column"], q)
            self.assertIn(hint, body["hint"])

    def test_what_was_never_updated_has_changed_when_it_was_made(
        self,
    ) -> None:
        hit = self.hit("marigolds kind:stack")

        shown = self.client.show(rest.Stack(hit["name"], hit["stack_id"]))
        self.assertEqual(shown["creation_time"], hit["created_at"])
        self.assertEqual(hit["created_at"], hit["updated_at"])
        self.check("updated_at:[now-1d TO now+1h] path:shop*", *finding.PARTS)
        self.check("updated:<now-1d path:shop*")
