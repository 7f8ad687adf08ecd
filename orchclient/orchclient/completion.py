"""Completion of commands for zsh and fish; cliff has that for bash.

Each script has a table: the words of a command so far, joined by ``_`` behind
a ``:``, to what may follow: further words, or options. Words that are no
command, such as values of options, are passed over.
"""

import re
import typing

from cliff import complete

_ZSH: typing.Final = """#compdef {name}
_{function}() {{
  local -A table
  table=(
{rows}
  )
  local key=: word next
  for word in ${{words[2,CURRENT-1]}}; do
    next=${{key}}_$word
    next=${{next/#:_/:}}
    (( ${{+table[$next]}} )) && key=$next
  done
  local -a found
  found=(${{=table[$key]}})
  if [[ $found[1] == -* && $words[CURRENT] != -* ]]; then
    _files
  else
    compadd -- $found
  fi
}}
compdef _{function} {name}
"""
_FISH: typing.Final = """function __{function}_words
    switch "$argv[1]"
{rows}
    end
end
function __{function}_found
    set -l key :
    for word in (commandline -opc)[2..-1]
        set -l next (string replace -r '^:_' ':' -- "$key"_"$word")
        test -n "$(__{function}_words $next)"; and set key $next
    end
    __{function}_words $key | string split ' '
end
function __{function}_takes_files
    set -l found (__{function}_found)
    string match -q -- '-*' $found[1]
    and not string match -q -- '-*' (commandline -ct)
end
complete -c {name} -f -n 'not __{function}_takes_files' \\
    -a '(__{function}_found)'
complete -c {name} -F -n __{function}_takes_files
"""


class _Script(complete.CompleteShellBase):
    """A script with a table in it."""

    script: typing.ClassVar[str]
    row: typing.ClassVar[str]

    def get_header(self) -> str:
        """Return nothing: the script is one text."""
        return ""

    def get_trailer(self) -> str:
        """Return nothing: the script is one text."""
        return ""

    def write(self, cmdo: str, data: list[tuple[str, str]]) -> None:
        """Write the script.

        :param cmdo: the first words of all commands
        :param data: words of a command, joined by ``_``, to what may follow
        """
        rows = [("", _first_words(cmdo)), *data]
        self.output.write(
            self.script.format(
                name=self.name,
                function=re.sub(r"\W", "_", self.name),
                rows="\n".join(
                    self.row.format(key=key, words=words)
                    for key, words in rows
                ),
            )
        )


def _first_words(words: str) -> str:
    """Return the words that a command begins with.

    Where a command is the beginning of others (``drift``), cliff has those
    there too, with all their words (``drift_accept``).
    """
    known = words.split()
    return " ".join(
        each
        for each in known
        if "_" not in each or each.partition("_")[0] not in known
    )


class Zsh(_Script):
    """``eval "$(orch complete --shell zsh)"`` after ``compinit``."""

    script = _ZSH
    row = "    ':{key}' '{words}'"


class Fish(_Script):
    """``orch complete --shell fish | source``."""

    script = _FISH
    row = "        case ':{key}'\n            echo '{words}'"
