"""``make_url``: a URL from its parts."""

from urllib import parse

from orch.plugin import function
from orch.template.text import values as text_values

_TEXTS = ("scheme", "username", "password", "host", "path", "fragment")


class MakeUrl(function.Function):
    """Gives a URL; each part is quoted where it needs to be."""

    __slots__ = ()

    def check(self) -> None:
        """Refuse unknown parts, and parts of a wrong type."""
        self._checked_parts(text_values.plain_items(self.arguments))

    def evaluate(self, scope: function.Scope) -> object:
        """Return the URL."""
        arguments = self._checked_parts(self.resolved(scope))
        texts = {part: str(arguments.get(part) or "") for part in _TEXTS}
        if ":" in texts["scheme"]:
            raise ValueError("URL \"scheme\" should not contain ':'")
        parts = parse.SplitResult(
            texts["scheme"],
            _netloc(texts, arguments.get("port")),
            parse.quote(texts["path"]),
            _query(arguments.get("query")),
            parse.quote(texts["fragment"]),
        )
        return parts.geturl()

    def _checked_parts(self, parts: object) -> dict[str, object]:
        if not text_values.is_map(parts):
            raise TypeError(f'The arguments to "{self.name}" must be a map')
        unknown = sorted(set(parts) - {*_TEXTS, "port", "query"})
        if unknown:
            raise ValueError(
                f'Invalid argument(s) to "{self.name}": {", ".join(unknown)}'
            )
        for part, written in parts.items():
            value = text_values.plain_items(written)
            if isinstance(value, function.Node):
                continue
            if part == "port":
                _check_port(value)
            elif part == "query":
                if not text_values.is_map(value):
                    raise TypeError(
                        f'The "query" argument to "{self.name}" must be a map'
                    )
            elif not isinstance(value, str):
                raise TypeError(
                    f'The "{part}" argument to "{self.name}" must be a string'
                )
        return parts


def _check_port(value: object) -> None:
    """Refuse what is no port.

    :raises ValueError: it is none
    """
    try:
        port = int(value) if isinstance(value, str | int | float) else 0
    except (ValueError, OverflowError):
        port = 0
    if not 0 < port <= 65535:
        raise ValueError(f'Invalid URL port "{value}"')


def _netloc(texts: dict[str, str], port: object) -> str:
    """Return user, password, host and port as a URL has them."""
    netloc = ""
    if texts["username"] or texts["password"]:
        netloc = parse.quote(texts["username"], safe="")
        if texts["password"]:
            netloc += ":" + parse.quote(texts["password"], safe="")
        netloc += "@"
    netloc += _host(texts["host"])
    return f"{netloc}:{port}" if port else netloc


def _host(host: str) -> str:
    """Return the host as a URL has it: brackets for an IPv6 address."""
    if ":" not in host:
        return parse.quote(host, safe="")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    return f"[{parse.quote(host, safe=':')}]"


def _query(values: object) -> str:
    """Return the values as a URL has them."""
    if not isinstance(values, dict):
        return ""
    return parse.urlencode(values, safe="/")
