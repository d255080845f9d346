"""The debugger's prompt: reads commands until one says how the program goes on."""

from __future__ import annotations

import cmd
import re
import shlex
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from troupe._src.debugger import commands, texts
from troupe._src.debugger.commands import CommandError, Parser, TensorFilter
from troupe._src.debugger.dump_dir import DebugDumpDir
from troupe._src.debugger.watches import WatchOptions
from troupe._src.graph.graph import Graph

try:
    import readline
except ImportError:  # not on this system: lines are read without editing
    readline = None  # type: ignore[assignment]


class StartedRun(NamedTuple):
    """A step that the program asked for."""

    number: int
    graph: Graph
    fetches: Any
    feed_dict: Dict[Any, Any]

    def describe(self) -> List[str]:
        """What is fetched and fed."""
        lines = [f"Session.run() call #{self.number}", "", "Fetch(es):", f"  {self.fetches!r}", ""]
        feeds = [f"  {_name_of(key)}" for key in self.feed_dict] or ["  (Empty)"]
        return [*lines, "Feed dict:", *feeds]


class RunAction(NamedTuple):
    """How the program goes on."""

    options: WatchOptions
    is_debugged: bool
    times: int
    tensor_filter: Optional[str]
    filter_exclude_node_names: Optional[str]


class _Command(NamedTuple):
    names: Sequence[str]
    parser: Parser
    handle: Callable[[Any], Optional[List[str]]]


def _name_of(element: Any) -> str:
    return element if isinstance(element, str) else str(getattr(element, "name", element))


def _run_parser() -> Parser:
    parser = Parser("run", "Goes on: runs the step, and comes back after it.")
    add = parser.add_argument
    add("-t", "--times", type=int, default=1, help="that many steps; comes back after the last")
    add("-n", "--no_debug", action="store_true", help="without tensors; comes back before the next")
    add("-f", "--till_filter_pass", metavar="FILTER", help="until a filter is true of a tensor")
    add("-fenn", "--filter_exclude_node_names", metavar="REGEX", help="the filter's exceptions")
    add("--node_name_filter", metavar="REGEX", help="keep only tensors of nodes of such names")
    add("--op_type_filter", metavar="REGEX", help="keep only tensors of nodes of such types")
    add("--tensor_dtype_filter", metavar="REGEX", help="keep only tensors of such dtypes")
    return parser


class Prompt(cmd.Cmd):
    """Reads commands about one step, which `dumps` has the tensors of if it has run."""

    prompt = "tfdbg> "

    def __init__(
        self, run: StartedRun, dumps: Optional[DebugDumpDir], filters: Dict[str, TensorFilter]
    ) -> None:
        super().__init__()
        self.action: Optional[RunAction] = None
        self._run = run
        self._dumps = dumps
        self._filters = filters
        self._delimiters = ""
        # What needs the tensors of a run is there after one only.
        known = [*self._of_steps(), *(self._of_runs(dumps) if dumps else [])]
        self._commands = {name: command for command in known for name in command.names}

    def _of_steps(self) -> List[_Command]:
        plain = Parser
        return [
            _Command(("run", "r"), _run_parser(), self._go_on),
            _Command(
                ("run_info", "ri"),
                plain("run_info", "Tells what the step fetches and is fed."),
                lambda _: self._run.describe(),
            ),
            _Command(("print_feed", "pf"), _feed_parser(), self._print_feed),
            _Command(("help", "h"), _help_parser(), self._help),
            _Command(("exit", "quit"), plain("exit", "Ends the program."), self._exit),
        ]

    def _of_runs(self, dumps: DebugDumpDir) -> List[_Command]:
        ops = self._run.graph.get_operations()

        def of(names: str, parser: Parser, handle: Callable[[Any], List[str]]) -> _Command:
            return _Command(names.split(), parser, handle)

        return [
            of("list_tensors lt", commands.list_tensors_parser(),
               lambda given: commands.list_tensors(dumps, self._filters, given)),
            of("print_tensor pt", commands.print_tensor_parser(),
               lambda given: commands.print_tensor(dumps, given)),
            of("node_info ni", commands.node_info_parser(),
               lambda given: commands.node_info(dumps, given)),
            of("list_inputs li", commands.tree_parser("list_inputs", "inputs"),
               lambda given: commands.tree(dumps, given, "inputs")),
            of("list_outputs lo", commands.tree_parser("list_outputs", "recipients"),
               lambda given: commands.tree(dumps, given, "recipients")),
            of("print_source ps", commands.print_source_parser(),
               lambda given: commands.print_source(dumps, ops, given)),
            of("list_source ls", commands.list_source_parser(),
               lambda given: commands.list_source(ops, given)),
            of("eval ev", commands.eval_parser(),
               lambda given: commands.eval_tensors(dumps, given)),
        ]  # fmt: skip

    def read(self, introduction: Sequence[str]) -> RunAction:
        """Prints lines, and reads commands until one goes on.

        Raises:
            SystemExit: One ends the program, or there are no further lines to read.
        """
        self._show(["", *introduction, 'Type "help" for the commands.', ""])
        self.cmdloop()
        assert self.action is not None
        return self.action

    def onecmd(self, line: str) -> bool:
        """Whether the line goes on."""
        try:
            words = ["exit"] if line == "EOF" else shlex.split(line)
            if words:
                self._show(self._answer(words))
        except (CommandError, ValueError, re.error) as error:
            self._show([f"ERROR: {error}"])
        return self.action is not None

    def emptyline(self) -> bool:
        return False

    def _answer(self, words: List[str]) -> Sequence[str]:
        command = self._commands.get(words[0])
        if command is None:
            raise CommandError(f'there is no command "{words[0]}" here; "help" lists them')
        return command.handle(command.parser.parse_args(words[1:])) or ()

    def _show(self, lines: Sequence[str]) -> None:
        if lines:
            print(*lines, sep="\n", file=self.stdout, flush=True)

    def _go_on(self, given: Any) -> None:
        if given.times < 1:
            raise CommandError("the number of times must be at least 1")
        if given.till_filter_pass is not None:
            commands.filter_named(self._filters, given.till_filter_pass)
        if given.filter_exclude_node_names is not None:
            re.compile(given.filter_exclude_node_names)
        options = WatchOptions(
            node_name_regex_whitelist=given.node_name_filter,
            op_type_regex_whitelist=given.op_type_filter,
            tensor_dtype_regex_whitelist=given.tensor_dtype_filter,
        )
        self.action = RunAction(
            options,
            not given.no_debug,
            given.times,
            given.till_filter_pass,
            given.filter_exclude_node_names,
        )

    def _print_feed(self, given: Any) -> List[str]:
        for key, value in self._run.feed_dict.items():
            if _name_of(key) in (given.tensor_name, f"{given.tensor_name}:0"):
                return texts.tensor_lines(_name_of(key), value, given.all)
        raise CommandError(f'the step is not fed "{given.tensor_name}"')

    def _exit(self, given: Any) -> None:
        raise SystemExit(0)

    def _help(self, given: Any) -> List[str]:
        if given.command is not None:
            if given.command not in self._commands:
                raise CommandError(f'there is no command "{given.command}" here')
            return self._commands[given.command].parser.format_help().rstrip().splitlines()
        each = {id(command): command for command in self._commands.values()}.values()
        rows = [[", ".join(c.names), c.parser.description or ""] for c in each]
        return [*texts.table(("Command", ""), rows), "", '"help COMMAND" tells its flags.']

    def completenames(self, text: str, *_: Any) -> List[str]:
        """The commands that begin so."""
        return [name for name in self._commands if name.startswith(text)]

    def completedefault(self, text: str, *_: Any) -> List[str]:
        """The nodes, tensors and filters whose names begin so."""
        data = self._dumps.dumped_tensor_data if self._dumps else []
        names = {datum.tensor_name for datum in data} | set(self._filters)
        names.update(op.name for op in self._run.graph.get_operations())
        return sorted(name for name in names if name.startswith(text))

    def preloop(self) -> None:
        """Lets names of tensors be completed, which contain what separates words elsewhere."""
        if readline is not None:
            self._delimiters = readline.get_completer_delims()
            readline.set_completer_delims(" \t\n`")

    def postloop(self) -> None:
        if readline is not None:
            readline.set_completer_delims(self._delimiters)


def _feed_parser() -> Parser:
    parser = Parser("print_feed", "Prints what a tensor is fed.")
    parser.add_argument("tensor_name", help="the tensor")
    parser.add_argument("-a", "--all", action="store_true", help="all elements")
    return parser


def _help_parser() -> Parser:
    parser = Parser("help", "Lists the commands, or tells of one.")
    parser.add_argument("command", nargs="?", help="the command")
    return parser
