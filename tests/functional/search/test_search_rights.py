"""S3: everybody finds what they may look at, and nothing else, anyhow."""

import base64
import binascii
import datetime
import pathlib
import tempfile
import typing
import urllib.parse

import bcrypt
import requests

from tests.functional import guarded
from tests.functional.search import finding
from tests.support import rest
from tests.support import serving

_USER = "canaryuser"
_HIDDEN = "canaryhidden"
_OTHER = "canaryother"
_SECRET = "canarysecret"
_ADMIN_FIELD = "stack.user_id"
_TEMPLATE = f"""
heat_template_version: 2021-04-16
parameters:
  key: {{type: string, hidden: true, default: {_SECRET}}}
resources:
  kept: {{type: OS::Heat::Value, properties: {{value: {{get_param: key}}}}}}
outputs:
  sealed: {{value: {{get_param: key}}}}
"""
_EMPTY = "heat_template_version: 2021-04-16"
_OWN = ("/v1/search", "/v1/search/facets", "/v1/search/plugins")


class CanaryTests(finding.SearchTestCase):
    """Words that must not come through to users, by any door.

    ``canaryuser`` stands in a field for administrators, ``canaryhidden`` in a
    stack with a tag for hiding, ``canaryother`` in another project, and
    ``canarysecret`` in a hidden parameter, which nobody finds.
    """

    @classmethod
    def deploy(cls) -> None:
        where = cls.system.endpoint
        cls.elsewhere = rest.Client(f"{where.rpartition('/')[0]}/elsewhere")
        cls.addClassCleanup(cls.elsewhere.close)
        maker = rest.Client(where, user_id=_USER, user_name="ann")
        cls.addClassCleanup(maker.close)
        created: list[tuple[rest.Client, str, str, dict[str, object]]] = [
            (maker, "seen", _TEMPLATE, {}),
            (
                cls.client,
                _HIDDEN,
                _EMPTY,
                {"tags": "data-processing-cluster"},
            ),
            (cls.elsewhere, _OTHER, _EMPTY, {}),
        ]
        for client, name, template, more in created:
            client.wait(
                client.create(name, template, **more), "CREATE_COMPLETE"
            )
        finding.wait_for_paths(
            cls.client,
            "status:CREATE_COMPLETE",
            ["seen", "seen/kept", _HIDDEN],
        )
        finding.wait_for_paths(
            cls.elsewhere, "status:CREATE_COMPLETE", [_OTHER]
        )

    def setUp(self) -> None:
        super().setUp()
        self.reader = self.client_of("reader")
        self.member = self.client_of("member")

    def ask(self, client: rest.Client, body: finding.Json) -> finding.Json:
        return typing.cast(finding.Json, client.ask("POST", "/search", body))

    def test_s3_administrators_find_the_canaries(self) -> None:
        for q, paths in (
            (f"{_ADMIN_FIELD}:{_USER}", ["seen"]),
            (_HIDDEN, [_HIDDEN]),
        ):
            self.assertEqual(paths, self.found(q), q)
        self.assertEqual([_OTHER], self.found(_OTHER, all_projects="true"))
        found = self.search(
            "kind:stack", facet=_ADMIN_FIELD, sort=_ADMIN_FIELD
        )
        self.assertIn(
            {"value": _USER, "count": 1}, found["facets"][_ADMIN_FIELD]
        )
        self.assertEqual("seen", found["hits"][0]["path"])
        self.assertEqual([_USER], found["hits"][0]["admin"][_ADMIN_FIELD])

    def test_s3_users_find_none_by_any_query(self) -> None:
        for client in (self.reader, self.member):
            for word in (_USER, _HIDDEN, _OTHER, _SECRET):
                for q in (
                    word,
                    f'"{word}"',
                    "canary*",
                    f"name:{word}",
                    f"name:canary* path:{word}",
                    f"{_ADMIN_FIELD}:{word}",
                    f"{_ADMIN_FIELD}:canary*",
                    f"user_id:{word}",
                    f"admin.{_ADMIN_FIELD}:{word}",
                    f"value:{word}",
                    "project:elsewhere",
                    "tag:data-processing-cluster",
                    "_exists_:user_id",
                ):
                    found = finding.search(client, q, facet="name")
                    self.assertEqual(0, found["total"], q)
                    self.assertEqual([], found["hits"], q)
                    self.assertEqual([], found["facets"]["name"], q)

    def test_s3_a_condition_on_what_is_hidden_decides_nothing(self) -> None:
        for q in (
            f"NOT {_ADMIN_FIELD}:{_USER}",
            f"kind:stack NOT {_ADMIN_FIELD}:nobody",
            f"name:seen OR {_ADMIN_FIELD}:{_USER}",
        ):
            one = finding.search(self.reader, q)["total"]
            other = finding.search(
                self.reader, q.replace(_USER, "x").replace("nobody", _USER)
            )["total"]
            self.assertEqual(one, other, q)

    def test_s3_nothing_of_them_is_told(self) -> None:
        for client in (self.reader, self.member):
            found = finding.search(
                client,
                "",
                facet=["name", "project", "tags"],
                with_texts="true",
            )

            self.assertEqual(2, found["total"])
            self.assertEqual(["seen", "seen/kept"], finding.paths(found))
            self.assertNotIn("canary", finding.text_of(found))
            self.assertNotIn("admin", found["hits"][0])

    def test_s3_orders_and_cursors_tell_nothing(self) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat()
        by_nothing = finding.search(
            self.reader, "", sort="nothing.such", as_of=now
        )
        for sort in (_ADMIN_FIELD, f"-{_ADMIN_FIELD}"):
            told = {"sort": sort, "as_of": now}
            found = finding.search(self.reader, "", limit=1, **told)
            whole = finding.search(self.reader, "", **told)
            self.assertEqual(
                [each["id"] for each in by_nothing["hits"]],
                [each["id"] for each in whole["hits"]],
            )
            self.assertNotIn("canary", _decoded(str(found["next"])))

    def test_s3_their_fields_are_refused_as_those_that_nothing_has(
        self,
    ) -> None:
        for name in (_ADMIN_FIELD, "stack.user_ix"):
            for key in ("sort", "facet", "stats"):
                error = self.refused(
                    self.reader,
                    f"/search?{urllib.parse.urlencode({key: name})}",
                )
                self.assertEqual(400, error.status)
                self.assertIn(f"there is no field {name}", error.message)
                told = finding.text_of(error.body).replace(name, "")
                self.assertNotIn("user_i", told)

    def test_s3_a_cursor_of_an_administrator_opens_nothing(self) -> None:
        cursor = self.search("", sort="name", limit=1)["next"]

        error = self.refused(
            self.reader, f"/search?sort=name&limit=1&cursor={cursor}"
        )

        self.assertEqual(400, error.status)
        self.assertNotIn("canary", finding.text_of(error.body))

    def test_s3_searchlights_doors_tell_nothing(self) -> None:
        found = self.ask(
            self.member,
            {
                "query": {"query_string": {"query": "canary*"}},
                "aggs": {"users": {"terms": {"field": "name"}}},
            },
        )
        self.assertEqual(0, found["hits"]["total"])
        self.assertEqual([], found["aggregations"]["users"]["buckets"])
        error = self.refused(
            self.member,
            "/search",
            {"aggs": {"users": {"terms": {"field": _ADMIN_FIELD}}}},
        )
        self.assertEqual(400, error.status)
        whole = self.ask(self.member, {"highlight": {"fields": {"*": {}}}})
        self.assertEqual(2, whole["hits"]["total"])
        self.assertNotIn("canary", finding.text_of(whole))

    def test_s3_facets_and_fields_are_of_what_may_be_seen(self) -> None:
        facets = self.reader.ask("GET", "/search/facets")
        fields = self.reader.get("/search/fields", "fields")

        self.assertNotIn("canary", finding.text_of(facets))
        self.assertNotIn(_ADMIN_FIELD, finding.text_of((facets, fields)))
        told = typing.cast(finding.Json, facets)
        self.assertEqual(1, told["OS::Heat::Stack"]["doc_count"])
        for_admins = self.client.get("/search/fields", "fields")
        self.assertIn(_ADMIN_FIELD, finding.text_of(for_admins))

    def test_s3_of_what_was_nobody_finds_more(self) -> None:
        now = datetime.datetime.now(datetime.UTC).isoformat()

        for client in (self.reader, self.member):
            found = finding.search(
                client,
                "",
                as_of=now,
                facet=[_ADMIN_FIELD, "user_id", "name", "project", "tags"],
                stats=_ADMIN_FIELD,
                with_texts="true",
            )
            self.assertEqual(["seen", "seen/kept"], finding.paths(found))
            self.assertNotIn("canary", finding.text_of(found))
            found = finding.search(client, "canary*", as_of=now)
            self.assertEqual(0, found["total"])
        for_admins = self.found("", as_of=now)
        self.assertEqual([_HIDDEN, "seen", "seen/kept"], for_admins)

    def test_s3_a_hidden_parameter_is_found_by_nobody(self) -> None:
        for q in (_SECRET, f"parameters.key:{_SECRET}", f"key:{_SECRET}"):
            answer = self.client.ask(
                "POST", "/search", {"query": {"query_string": {"query": q}}}
            )
            told = typing.cast(finding.Json, answer)
            self.assertEqual(0, told["hits"]["total"], q)
        whole = self.search("", all_projects="true", with_texts="true")
        self.assertNotIn(_SECRET, finding.text_of(whole))

    def test_s3_all_projects_are_for_administrators(self) -> None:
        found = self.found("kind:stack", all_projects="true")
        self.assertEqual(sorted([_HIDDEN, _OTHER, "seen"]), found)
        for client in (self.reader, self.member):
            for path, body in (
                ("/search?all_projects=true", None),
                ("/search/facets?all_projects=true", None),
                ("/search", {"q": "", "all_projects": True}),
                ("/search", {"all_projects": True}),
            ):
                error = self.refused(client, path, body)
                self.assertEqual(403, error.status, path)
                self.assertIn("search:all_projects", error.message)


def _decoded(cursor: str) -> str:
    """Return a cursor with all that may be read of it."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        return cursor + repr(base64.urlsafe_b64decode(padded))
    except (ValueError, binascii.Error):
        return cursor


class TokenTests(guarded.GuardedTestCase):
    """With a real Keystone, at Searchlight's addresses too."""

    def own(
        self, path: str, token: str | None, body: object = None
    ) -> requests.Response:
        return requests.request(
            "GET" if body is None else "POST",
            f"http://127.0.0.1:{self.system.port}{path}",
            json=body,
            headers={} if token is None else {"X-Auth-Token": token},
            timeout=30,
        )

    def test_s3_who_is_nobody_gets_nowhere(self) -> None:
        for path in _OWN:
            for token in (None, "wrong"):
                self.assertEqual(401, self.own(path, token).status_code)

    def test_s3_each_role_gets_where_it_may(self) -> None:
        for user, expected in (
            ("guest", 403),
            ("reader", 200),
            ("member", 200),
            ("chief", 200),
            ("stranger", 200),
        ):
            token = self.keystone.token(user)
            for path in _OWN:
                found = self.own(path, token)
                self.assertEqual(expected, found.status_code, (user, path))

    def test_s3_a_token_opens_its_own_project_alone(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, _EMPTY)
        finding.wait_for_paths(
            member, f"path:{stack.name} status:complete", [stack.name]
        )
        q = f"path:{stack.name}"
        for user, count in (("reader", 1), ("member", 1), ("stranger", 0)):
            token = self.keystone.token(user)
            told = self.own(f"/v1/search?q={q}", token).json()
            self.assertEqual(count, told["total"], user)
            body = {"query": {"term": {"path": stack.name}}}
            told = self.own("/v1/search", token, body).json()
            self.assertEqual(count, told["hits"]["total"], user)
        # A header names no project beside a token.
        answer = requests.get(
            f"http://127.0.0.1:{self.system.port}/v1/search?q={q}",
            headers={
                "X-Auth-Token": self.keystone.token("stranger"),
                "X-Project-Id": self.keystone.projects["demo"],
            },
            timeout=30,
        )
        self.assertEqual(0, answer.json()["total"])

    def test_s3_the_cloud_is_searched_by_who_runs_it(self) -> None:
        member = self.client_of("member")
        stack = self.created(member, _EMPTY)
        q = f"path:{stack.name} status:complete"
        finding.wait_for_paths(member, q, [stack.name])
        path = f"/v1/search?all_projects=true&q={q}"
        admin = self.own(path, self.keystone.token("chief")).json()
        self.assertEqual(1, admin["total"])
        for user in ("reader", "member", "stranger"):
            answer = self.own(path, self.keystone.token(user))
            self.assertEqual(403, answer.status_code, user)


class PasswordTests(serving.ServerTestCase):
    """With names and passwords in a file."""

    @classmethod
    def setUpClass(cls) -> None:
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        file = pathlib.Path(directory.name) / "htpasswd"
        hashed = bcrypt.hashpw(b"right", bcrypt.gensalt(4)).decode()
        file.write_text(
            "".join(f"{each}:{hashed}\n" for each in ("ann", "bob", "eve"))
        )
        cls.options = {
            "api": {
                "auth": "basic",
                "user_file": file,
                "basic_grants": "ann demo reader\n"
                "basic_grants = bob demo reader\n"
                "basic_grants = bob shop reader\n"
                "basic_grants = eve * reader",
            }
        }
        super().setUpClass()

    def own(self, user: str, project: str | None = None) -> int:
        headers = {} if project is None else {"X-Project-Id": project}
        answer = requests.get(
            f"http://127.0.0.1:{self.system.port}/v1/search",
            auth=(user, "right"),
            headers=headers,
            timeout=30,
        )
        return int(answer.status_code)

    def test_s3_a_user_of_one_project_needs_to_name_none(self) -> None:
        self.assertEqual(200, self.own("ann"))
        self.assertEqual(200, self.own("ann", "demo"))
        self.assertEqual(403, self.own("ann", "shop"))

    def test_s3_others_name_theirs(self) -> None:
        for user in ("bob", "eve"):
            self.assertEqual(400, self.own(user), user)
            self.assertEqual(200, self.own(user, "shop"), user)
        self.assertEqual(403, self.own("bob", "else"))
        self.assertEqual(200, self.own("eve", "else"))
        self.assertEqual(401, self.own("nobody", "shop"))
