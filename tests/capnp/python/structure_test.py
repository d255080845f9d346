"""The structure of the package, public modules over `_src` without cycles, and of its tests."""

import ast
import importlib
import pathlib
import sys
import tempfile
import unittest

import troupe

PRIVATE = "_src"


def modules_of(package):
    """{module name: syntax tree} for the modules of a package folder."""
    trees = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        trees[name] = ast.parse(path.read_text(encoding="utf-8"))
    return trees


def is_private(module):
    return PRIVATE in module.split(".")


def is_type_checking(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports_of(tree, modules):
    """The modules that run-time imports name, also those inside of functions."""
    found, nodes = set(), [tree]
    while nodes:
        node = nodes.pop()
        if is_type_checking(node):
            nodes += node.orelse
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names if alias.name != "_native"]
            members = [f"{node.module}.{name}" for name in names]
            found |= {member if member in modules else node.module for member in members}
    return found & set(modules)


def cycle_in(graph):
    """The nodes of a cycle in {node: successors}, or None."""
    done = set()

    def visit(node, path):
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return None
        for successor in sorted(graph.get(node, ())):
            cycle = visit(successor, [*path, node])
            if cycle:
                return cycle
        done.add(node)
        return None

    for node in sorted(graph):
        cycle = visit(node, [])
        if cycle:
            return cycle
    return None


def import_faults(package):
    """Cycles between modules or rooms of `_src`, and its imports of public modules."""
    trees = modules_of(package)
    graph = {name: imports_of(trees[name], trees) for name in trees if is_private(name)}
    faults = [
        f"{name} imports the public module {imported}"
        for name, found in graph.items()
        for imported in found
        if not is_private(imported)
    ]
    rooms = {}
    for name, found in graph.items():
        room = ".".join(name.split(".")[:3])
        successors = {".".join(imported.split(".")[:3]) for imported in found}
        rooms.setdefault(room, set()).update(successors - {room})
    for level in (graph, rooms):
        cycle = cycle_in(level)
        if cycle:
            faults.append("a cycle of imports: " + " -> ".join(cycle))
    return faults


def is_declaration(node):
    """What a public module may contain: a docstring, imports, `__all__` and `__getattr__`.

    `__getattr__` is made by a call, which may give `__dir__`, too, and hidden from type checkers.
    Only these see all names of another module as imports.
    """
    if is_type_checking(node) and is_import_of_all(node.body[0]):
        return all(is_declaration(inner) for inner in [*node.body[1:], *node.orelse])
    if isinstance(node, ast.If) and is_of_type_checking(node.test):
        return all(is_declaration(inner) for inner in [*node.body, *node.orelse])
    if isinstance(node, ast.Assign):
        names = names_of(node)
        is_call = isinstance(node.value, ast.Call)
        return names == ["__all__"] or (names[0] == "__getattr__" and is_call)
    is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_import = isinstance(node, (ast.Import, ast.ImportFrom))
    return is_docstring or (is_import and not is_import_of_all(node))


def is_of_type_checking(test):
    return ast.unparse(test) in ("TYPE_CHECKING", "not TYPE_CHECKING")


def is_import_of_all(node):
    return isinstance(node, ast.ImportFrom) and node.names[0].name == "*"


def names_of(assignment):
    """The names that an assignment binds."""
    nodes = (node for target in assignment.targets for node in ast.walk(target))
    return [node.id for node in nodes if isinstance(node, ast.Name)]


def bound_names(tree):
    """The names that a module binds by imports and assignments."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.Assign):
            names |= set(names_of(node))
    return names


def public_faults(package):
    """Public modules that define something, and what is wrong with their `__all__`."""
    faults = []
    for name, tree in modules_of(package).items():
        if is_private(name) or name.endswith(".__main__"):
            continue
        extra = [node for node in tree.body if not is_declaration(node)]
        faults += [f"{name} defines something in line {node.lineno}" for node in extra]
        names = bound_names(tree)
        if "__all__" not in names:
            faults.append(f"{name} has no __all__")
            continue
        module = importlib.import_module(name)
        missing = [each for each in module.__all__ if not hasattr(module, each)]
        faults += [f"{name} has no {each}, which is in its __all__" for each in missing]
        public = {each for each in names if not each.startswith("_")}
        unlisted = public - set(module.__all__) - {"TYPE_CHECKING", "*"}
        faults += [f"{name} imports {each}, which is not in its __all__" for each in unlisted]
    return faults


def tests_that_never_run(path):
    """The lines of functions named as tests that are in no class, or that another one replaces."""
    tree, methods, lost = ast.parse(path.read_text(encoding="utf-8")), {}, []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            methods.update((each, node.name) for each in node.body)
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            name = (methods.get(node), node.name)
            if name[0] is None or name in names:
                lost.append(node.lineno)
            names.add(name)
    return lost


class StructureTest(unittest.TestCase):
    package = pathlib.Path(troupe.__file__).parent

    def test_imports_of_the_implementation_have_no_cycles(self):
        self.assertEqual(import_faults(self.package), [])

    def test_public_modules_only_import_names_and_state_them(self):
        self.assertEqual(public_faults(self.package), [])

    def test_every_test_runs(self):
        paths = list(pathlib.Path(__file__).parent.rglob("*_test.py"))
        self.assertGreater(len(paths), 100)
        lost = {path.name: tests_that_never_run(path) for path in paths}
        self.assertEqual({name: lines for name, lines in lost.items() if lines}, {})

    def test_a_room_has_about_twenty_modules_at_most(self):
        for room in (self.package / PRIVATE).iterdir():
            self.assertLessEqual(len(list(room.glob("*.py"))), 22, room)

    def test_classes_bear_the_name_of_the_public_module_that_exports_them(self):
        for name in ("troupe", "troupe.errors", "troupe.layers", "troupe.losses", "troupe.test",
                     "troupe.train"):  # fmt: skip
            module = importlib.import_module(name)
            for each in module.__all__:
                value = getattr(module, each)
                if isinstance(value, type) and value.__name__ == each:
                    self.assertNotIn(PRIVATE, value.__module__, value)


class CheckerTest(unittest.TestCase):
    """The checks find faults that are planted in a package."""

    def package(self, **files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        name = f"planted_{self.id().rpartition('.')[2]}"
        package = pathlib.Path(folder.name, name)
        for path in ("_src/one", "_src/two"):
            (package / path).mkdir(parents=True)
        for path in (".", "_src", "_src/one", "_src/two"):
            (package / path / "__init__.py").write_text('"""A package."""\n\n__all__ = []\n')
        for path, text in files.items():
            text = text.replace("PACKAGE", name)
            (package / path.replace("__", "/")).with_suffix(".py").write_text(text)
        sys.path.insert(0, folder.name)
        self.addCleanup(sys.path.remove, folder.name)
        return package

    def test_a_sound_package_has_no_faults(self):
        package = self.package(
            _src__one__a="from typing import TYPE_CHECKING\nx = 1\n"
            "if TYPE_CHECKING:\n    from PACKAGE._src.two.b import y\n",
            _src__two__b="from PACKAGE._src.one.a import x\ny = x\n",
            public="from PACKAGE._src.two.b import y\n\n__all__ = ['y']\n",
            hidden="from typing import TYPE_CHECKING\n"
            "if not TYPE_CHECKING:\n    __getattr__, __dir__ = map(str, 'ab')\n__all__ = []\n",
            same="from typing import TYPE_CHECKING\nfrom PACKAGE.public import __all__ as __all__\n"
            "if TYPE_CHECKING:\n    from PACKAGE.public import *\n"
            "else:\n    from PACKAGE.public import y\n",
        )
        self.assertEqual(import_faults(package) + public_faults(package), [])

    def test_a_cycle_between_modules_is_found_also_inside_of_functions(self):
        package = self.package(
            _src__one__a="from PACKAGE._src.one import b\n",
            _src__one__b="def f():\n    from PACKAGE._src.one.a import x\n",
        )
        self.assertRegex(import_faults(package)[0], "cycle.*one.a -> .*one.b -> .*one.a$")

    def test_a_cycle_between_rooms_is_found(self):
        package = self.package(
            _src__one__a="import PACKAGE._src.two.b\n",
            _src__one__d="x = 1\n",
            _src__two__b="x = 1\n",
            _src__two__c="import PACKAGE._src.one.d\n",
        )
        self.assertRegex(import_faults(package)[0], "cycle.*_src.one -> .*_src.two -> .*_src.one$")

    def test_an_implementation_that_needs_a_public_module_is_found(self):
        package = self.package(_src__one__a="import PACKAGE.public\n", public="__all__ = []\n")
        self.assertRegex(import_faults(package)[0], "imports the public module")

    def test_public_modules_that_define_or_lack_something_are_found(self):
        package = self.package(
            defines="__all__ = ['f']\n\ndef f(): pass\n",
            lacks="x = 1\n",
            lists="__all__ = ['y']\n",
            hides="from os import path\n__all__ = []\n",
            takes="from os.path import *\n__all__ = []\n",
            computes="from typing import TYPE_CHECKING\n"
            "if not TYPE_CHECKING:\n    x = 1\n__all__ = ['x']\n",
        )
        faults = "\n".join(public_faults(package))
        for fault in ("defines defines something in line 3", "lacks has no __all__",
                      "lists has no y", "hides imports path",
                      "takes defines something in line 1",
                      "computes defines something in line 2"):  # fmt: skip
            self.assertIn(fault, faults)

    def test_tests_that_never_run_are_found(self):
        tests = "class ATest:\n    def test_a(self): pass\n    def test_b(self): pass\n"
        package = self.package(
            sound=tests + "class BTest:\n    def test_a(self): pass\n",
            twice=tests + "    def test_a(self): pass\n",
            inside=tests + "def _add():\n    return 1\n    def test_a(self): pass\n",
        )
        paths = [package / f"{name}.py" for name in ("sound", "twice", "inside")]
        lost = [tests_that_never_run(path) for path in paths]
        self.assertEqual(lost, [[], [4], [6]])


if __name__ == "__main__":
    unittest.main()
