"""Highlights of hits: what matches is bold on a terminal."""

import html
import re
import typing

from cliff import columns

from orchclient import search_results

_BOLD: typing.Final = "\x1b[1m"
_PLAIN: typing.Final = "\x1b[0m"
_MARK: typing.Final = re.compile("(</?em>)")
_CONTROL: typing.Final = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_MAX_LINES: typing.Final = 3
_IN_OTHER_COLUMNS: typing.Final = (
    *("path", "name", "type", "kind", "action", "status"),
)
_BEFORE: typing.Final = 24
_MAX_LENGTH: typing.Final = 80
"""Characters of a fragment that are shown, without marks."""


class Where(columns.FormattableColumn[object]):
    """Highlighted fragments of a hit: lines for users, fields for programs."""

    def __init__(self, hit: search_results.Hit, *, is_bold: bool) -> None:
        """Show a hit.

        :param is_bold: show what matches in bold letters
        """
        super().__init__(
            {key: [*each] for key, each in hit.highlights.items()}
        )
        self._hit = hit
        self._is_bold = is_bold

    def human_readable(self) -> str:
        """Return the first fragments, each behind its field."""
        parts = [
            f"{clean_text(field)}:"
            f" {fragment_text(_cut(each), is_bold=self._is_bold)}"
            for field, fragments in self._hit.highlights.items()
            for each in fragments
            if field not in _IN_OTHER_COLUMNS
        ]
        return "\n".join(parts[:_MAX_LINES])


class Path(columns.FormattableColumn[object]):
    """The path of a hit; what matches of it is bold for users."""

    def __init__(
        self, hit: search_results.Hit, *, is_bold: bool = False
    ) -> None:
        """Show a hit; see :class:`Where`."""
        super().__init__(hit.path or hit.name)
        self._hit = hit
        self._is_bold = is_bold

    def human_readable(self) -> str:
        """Return the path, as a fragment where one has all of it."""
        hit = self._hit
        for fragment in hit.highlights.get("path", ()):
            if html.unescape(_MARK.sub("", fragment)) == hit.path:
                return fragment_text(fragment, is_bold=self._is_bold)
        return clean_text(hit.path or hit.name)


def fragment_text(fragment: str, *, is_bold: bool) -> str:
    """Return a fragment of HTML as text, in one line.

    :param is_bold: show what matches in bold letters
    """
    begin, end = (_BOLD, _PLAIN) if is_bold else ("", "")
    marks = {"<em>": begin, "</em>": end}
    return "".join(
        marks[each] if each in marks else clean_text(html.unescape(each))
        for each in _MARK.split(fragment)
    )


def _cut(fragment: str) -> str:
    """Cut a fragment of HTML to the length of a line.

    It begins shortly before what matches, and remains a fragment.
    """
    parts: list[str] = []
    left = _MAX_LENGTH
    for each in _MARK.split(fragment):
        if _MARK.fullmatch(each):
            parts.append(each)
            continue
        text = html.unescape(each)
        if not parts:
            text = (
                text[max(0, len(text) - _BEFORE) :]
                if "<em>" in fragment
                else text
            )
        parts.append(html.escape(text[:left]))
        left -= min(left, len(text))
    return "".join(parts)


def point_at(query: str, column: int, line: int = 1) -> list[str]:
    """Return a line of a query, and a pointer to a character below it.

    :param column: of the line, from 1
    :param line: from 1; 0 where it is not known, which is the first
    """
    lines = query.split("\n")
    text = lines[min(max(1, line), len(lines)) - 1]
    begin = max(0, column - _MAX_LENGTH)
    shown = _CONTROL.sub(
        lambda found: " " * len(found[0]),
        text[begin : begin + 2 * _MAX_LENGTH],
    )
    return [f"  {shown}", f"  {' ' * (column - begin - 1)}^"]


def clean_text(text: str) -> str:
    """Return a text without control characters of terminals."""
    return _CONTROL.sub(" ", text)
