#!/usr/bin/env python3
"""What the pages show works: each fenced block is run or compiled, each command line has its flags.

Usage: tests/tools/documentation_test.py BUILD

A block that is a part of a program has what it needs before it in a comment of the page:
`<!-- given: ... -->`. One that cannot be run says why: "```cpp not-run: an outline".
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
PYTHON = BUILD / "venv/bin/python"
FENCE = re.compile(
    r"(?:^<!-- given:(?P<given>(?:(?!-->).)*)-->\n)?"
    r"^```(?P<language>\w*) *(?P<info>[^\n]*)\n(?P<code>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
# What takes arguments in the indented lines of pages.
COMMAND = re.compile(r"^    (?:\w+=\S+ )*((?:build/bin|tools)/[\w-]+[^#|&\\\n]*)", re.MULTILINE)
# What says where something is: a file, or a folder that ends with a slash.
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+(?:\.(?:hpp|cpp|py|capnp|patch|proto)|/))`")
# The table of programs of others, by their files.
PROGRAMS_OF_OTHERS = re.compile(r"<!-- published programs -->.*?<!-- end of", re.DOTALL)
# Written at build, a placeholder, or a program of others.
NOT_OURS = re.compile(
    r"^(build|troupe_ops)/|[A-Z]{3}|^x(_test)?\.|(gen|raw)_ops\.py$"
    r"|^(?!_src/|troupe/|tests/|capnp/|tools/|apps/).*\.py$"
)
TARGET = '"troupe://localhost:2223"'


class Block(NamedTuple):
    where: str
    language: str
    info: str
    code: str
    given: str


def pages():
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "*.md"], capture_output=True, text=True, check=True
    )
    return [ROOT / name for name in listed.stdout.split()]


def blocks(language):
    """Those that can be run."""
    for page in pages():
        text = page.read_text()
        for found in FENCE.finditer(text):
            line = text[: found.start("code")].count("\n")
            block = Block(
                f"{page.relative_to(ROOT)}:{line}",
                *found.group("language", "info", "code"),
                (found["given"] or "").strip("\n"),
            )
            if block.language == language and not block.info:
                yield block


def run(command, **options):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=300, **options
    )


def include_flags():
    """Those with which each public header compiles."""
    commands = json.loads((BUILD / "compile_commands.json").read_text())
    program = next(each for each in commands if each["file"].endswith("server/server.hpp.cpp"))
    words = shlex.split(program["command"])
    flags = []
    for word, following in zip(words, words[1:]):
        if word.startswith("-I"):
            flags.append(word)
        if word == "-isystem":
            flags += [word, following]
    return flags


class DocumentationTest(unittest.TestCase):
    def test_a_block_is_of_a_language_that_is_run_or_says_why_it_is_not(self):
        for page in pages():
            for found in FENCE.finditer(page.read_text()):
                language, info = found.group("language", "info")
                with self.subTest(f"{page.relative_to(ROOT)}: {language} {info}"):
                    if info:
                        self.assertRegex(info, r"^not-run: .{5}")
                    else:
                        self.assertIn(language, ("cpp", "python"))

    def test_files_and_folders_that_pages_name_are_there(self):
        """A name may leave out the folders before it."""
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True
        )
        tails = set()
        for name in listed.stdout.split():
            parts = name.split("/")
            tails.update("/".join(parts[start:]) for start in range(len(parts)))
            for end in range(1, len(parts)):
                tails.update("/".join(parts[start:end]) + "/" for start in range(end))
        for page in pages():
            for name in PATH.findall(PROGRAMS_OF_OTHERS.sub("", page.read_text())):
                if NOT_OURS.search(name):
                    continue
                with self.subTest(f"{page.relative_to(ROOT)}: {name}"):
                    self.assertTrue(re.sub(r"^(\.\./)+", "", name) in tails)

    def test_blocks_of_cpp_compile(self):
        source = [
            '#include "troupe/capnp/server.hpp"',
            '#include "troupe/actors/simulation.hpp"',
            "#include <iostream>",
            "using namespace troupe;",
            "using namespace std::chrono_literals;",
        ]
        for number, block in enumerate(blocks("cpp")):
            line = f'#line 1 "{block.where}"'
            if "int main()" in block.code:  # with includes of its own
                lines = [each for each in block.code.split("\n") if "using namespace" not in each]
                whole = "\n".join(lines)
                includes = re.findall(r"^#include.*$", whole, re.MULTILINE)
                rest = re.sub(r"^#include.*$", "", whole, flags=re.MULTILINE)
                source += [*includes, f"namespace program_{number} {{", line, rest, "}"]
            else:
                source += [f"namespace part_{number} {{", block.given]
                source += ["[[maybe_unused]] Status part() {", line, block.code]
                source += ["return {};", "}", "}"]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "blocks.cpp"
            file.write_text("\n".join(source))
            done = run(["c++", "-std=c++20", "-fsyntax-only", "-w", *include_flags(), file])
        self.assertEqual(done.returncode, 0, done.stderr[:5000])

    def test_blocks_of_python_run(self):
        for block in blocks("python"):
            with self.subTest(block.where), tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder) / "block.py"
                code = block.code.replace(TARGET, "__import__('sys').argv[1]")
                file.write_text(f"{block.given}\n{code}")
                command = [PYTHON, file]
                if code != block.code:
                    nodes = [BUILD / "bin/troupe", "launch", "ps=1", "worker=1", "--client", "--"]
                    command = [*nodes, *command, "{worker:0}"]
                environment = {
                    **os.environ,
                    "PYTHONPATH": str(BUILD / "python"),
                    "TROUPE_PROGRAMS": str(BUILD / "bin"),
                }
                done = run(command, cwd=folder, env=environment)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_command_lines_name_programs_and_flags_that_there_are(self):
        helps = {}
        for page in pages():
            for line in COMMAND.findall(page.read_text()):
                words = line.replace('"$C"', "C").split(" -- ")[0].split()
                program = BUILD / words[0].removeprefix("build/")
                if words[0].startswith("tools/"):
                    program = ROOT / words[0]
                command = (program, words[1] if words[0] == "build/bin/troupe" else None)
                with self.subTest(f"{page.relative_to(ROOT)}: {line.strip()}"):
                    if command not in helps:
                        said = run([word for word in (*command, "--help") if word])
                        helps[command] = said.stdout + said.stderr
                    for flag in re.findall(r"(?<= )--?[a-z][\w-]*", " ".join(words)):
                        self.assertTrue(flag in helps[command], f"no flag {flag}")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
