"""Progress on a terminal: a tree of resources that is drawn anew."""

import collections
import threading
import time
import typing

import rich.console
import rich.live
import rich.markup
import rich.progress_bar
import rich.spinner
import rich.table
import rich.text
import rich.tree

from orchclient import models
from orchclient import operations
from orchclient.console import formatting
from orchclient.console import plain
from orchclient.console import progress_events
from orchclient.console import trees

_REFRESHES_PER_S = 8
# Header, summary, and the line of the cursor.
_OTHER_ROWS = 4
_STYLES: typing.Final = {
    "COMPLETE": "green",
    "FAILED": "red",
    "IN_PROGRESS": "yellow",
}
_SIGNS: typing.Final = {"COMPLETE": "✓", "FAILED": "✗"}


class View:
    """Draws over what it drew before; the last picture stays.

    What is too long for the screen is summed up in numbers: then only what
    runs, and what has failed, has a line.
    """

    wants_tree = True

    def __init__(
        self, out: typing.TextIO, *, shows_secrets: bool = False
    ) -> None:
        """Draw on a terminal.

        :param shows_secrets: also the values of sensitive outputs
        """
        self._shows_secrets = shows_secrets
        self._console = rich.console.Console(file=out, highlight=False)
        self._spinner = rich.spinner.Spinner("dots")
        self._lock = threading.Lock()
        self._operation: operations.Operation | None = None
        self._nodes: tuple[trees.Node, ...] = ()
        self._live = rich.live.Live(
            console=self._console,
            get_renderable=self._picture,
            refresh_per_second=_REFRESHES_PER_S,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )

    def begin(self, operation: operations.Operation) -> None:
        """Begin to draw."""
        with self._lock:
            self._operation = operation
        if not self._live.is_started:
            self._live.start()

    def happened(
        self,
        operation: operations.Operation,
        progress_event: progress_events.ProgressEvent,
    ) -> None:
        """Do nothing: the tree shows the state of the resource."""

    def progress(
        self,
        operation: operations.Operation,
        nodes: tuple[trees.Node, ...],
    ) -> None:
        """Set the progress that is drawn from now on."""
        with self._lock:
            self._operation = operation
            # What is removed leaves the list: the last picture shows all.
            self._nodes = nodes or self._nodes

    def end(
        self,
        operation: operations.Operation,
        outputs: tuple[models.Output, ...],
    ) -> None:
        """Draw the last picture, and the outputs of the stack below."""
        with self._lock:
            self._operation = operation
        self.close()
        for line in plain.outputs_text(
            outputs, shows_secrets=self._shows_secrets
        ):
            self._console.print(rich.text.Text(line))

    def close(self) -> None:
        """Draw no more."""
        if self._live.is_started:
            self._live.stop()

    def _picture(self) -> rich.console.RenderableType:
        with self._lock:
            operation, nodes = self._operation, self._nodes
        if operation is None:
            return rich.text.Text()
        rows_left = max(5, self._console.height - _OTHER_ROWS)
        every = [each for node in nodes for each in node.walk()]
        if len(every) <= rows_left:
            body: rich.console.RenderableType = self._tree(nodes)
        else:
            body = self._short(every, rows_left)
        return rich.console.Group(self._header(operation), body)

    def _header(
        self, operation: operations.Operation
    ) -> rich.console.RenderableType:
        row = rich.table.Table.grid(padding=(0, 1))
        title = rich.text.Text(
            f"{operation.action} {operation.stack.name}", style="bold"
        )
        state = rich.text.Text(operation.state, style=_style(operation.state))
        cells: list[rich.console.RenderableType] = [
            self._sign(_shown_state(operation.state)),
            title,
            state,
        ]
        percent = progress_events.percent(operation)
        if percent is not None:
            bar = rich.progress_bar.ProgressBar(
                total=100, completed=percent, width=24
            )
            count = f"{percent}% ({operation.done} of {operation.total})"
            cells.extend((bar, rich.text.Text(count)))
        row.add_row(*cells, rich.text.Text(_rest(operation)))
        if operation.is_held or plain.is_blocked(operation):
            status_line = rich.text.Text(
                plain.blocked_line(operation), style="yellow"
            )
            return rich.console.Group(row, status_line)
        return row

    def _tree(self, nodes: tuple[trees.Node, ...]) -> rich.tree.Tree:
        root = rich.tree.Tree("", hide_root=True)
        for node in nodes:
            self._grow(root, node)
        return root

    def _grow(self, tree: rich.tree.Tree, node: trees.Node) -> None:
        branch = tree.add(self._label(node, node.path[-1]))
        for child in node.children:
            self._grow(branch, child)

    def _short(
        self, every: list[trees.Node], rows_left: int
    ) -> rich.console.RenderableType:
        """Return lines of what runs or has failed; the others as numbers."""
        counts = collections.Counter(_state_of(each) for each in every)
        busy = [
            each
            for each in every
            if _state_of(each) in ("FAILED", "IN_PROGRESS")
        ]
        busy.sort(key=_state_of)
        status_line = ", ".join(
            f"{number} {what}" for what, number in counts.items()
        )
        return rich.console.Group(
            rich.text.Text(status_line),
            *(
                self._label(each, formatting.path_text(each.path))
                for each in busy[: rows_left - 1]
            ),
        )

    def _label(self, node: trees.Node, name: str) -> rich.text.Text:
        found = node.resource
        state = _state_of(node)
        label = rich.text.Text(no_wrap=True, overflow="ellipsis")
        label.append(self._sign(state))
        label.append(f" {name}", style="bold")
        label.append(f"  {found.type}", style="dim")
        word = "waiting" if state == "waiting" else str(found.status)
        label.append(f"  {word}", style=_style(state))
        if state == "FAILED" and found.status_reason:
            reason = " ".join(found.status_reason.split())
            label.append(f"  {reason}", style="red")
        return label

    def _sign(self, state: str) -> rich.text.Text:
        if state == "IN_PROGRESS":
            drawn = self._spinner.render(time.monotonic())
            sign = drawn.plain if isinstance(drawn, rich.text.Text) else "*"
        else:
            sign = _SIGNS.get(state, "·")
        return rich.text.Text(sign, style=_style(state))


def _state_of(node: trees.Node) -> str:
    status = node.resource.status
    return "waiting" if status.action == "INIT" else status.state


def _shown_state(state: str) -> str:
    return "IN_PROGRESS" if state in ("WAITING", "RUNNING") else state


def _style(state: str) -> str:
    return _STYLES.get(_shown_state(state), "dim")


def _rest(operation: operations.Operation) -> str:
    took = progress_events.seconds_taken(operation)
    if operation.is_over and took is not None:
        return f"after {formatting.span_text(took)}"
    return plain.remaining_text(operation)
