"""What docstrings of the package's public functions, classes and methods do not say.

Usage: python docstring_faults.py PACKAGE_FOLDER [FOLDER_OF_SRC...]

Prints `path:line: name: what is missing`. The sources are read, not imported.
"""

import ast
import dataclasses
import pathlib
import re
import sys

# `name` is the name of the nodes that a function adds, everywhere where it is not said otherwise.
COMMON = {"name"}
# What `with` and Python call, whose arguments are those of the language.
CALLED_BY_NAME = ("__init__", "__call__")
NO_RESULT = {"None", "NoReturn", "Iterator[None]"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclasses.dataclass(frozen=True)
class Definition:
    """A function or class of the package, and the file that has it."""

    module: str
    path: pathlib.Path
    node: ast.AST

    @property
    def folder(self):
        """The folder of `_src` that has it, or "" for another place."""
        parts = self.path.parts
        after = parts[parts.index("_src") + 1 :] if "_src" in parts else ()
        return after[0] if len(after) > 1 else ""


class Package:
    """The sources of a package, and where its names are defined."""

    def __init__(self, folder):
        self.folder = folder
        self.paths, self.trees = {}, {}
        for path in sorted(folder.rglob("*.py")):
            parts = [folder.name, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            self.paths[name] = path
            self.trees[name] = ast.parse(path.read_text(encoding="utf-8"))
        self._bindings = {name: bindings_of(tree) for name, tree in self.trees.items()}

    def find(self, module, name):
        """The Definition behind a name of a module, through imports and aliases, or None."""
        bound = self._bindings.get(module, {}).get(name)
        if isinstance(bound, ast.ImportFrom):
            original = next(a.name for a in bound.names if (a.asname or a.name) == name)
            if (bound.module, original) == (module, name):
                return None  # a module of the package
            return self.find(bound.module, original)
        if isinstance(bound, ast.Name) and bound.id != name:
            return self.find(module, bound.id)
        if isinstance(bound, (*FUNCTIONS, ast.ClassDef)):
            return Definition(module, self.paths[module], bound)
        return None

    def public(self):
        """The Definitions that `__all__` of public modules name, each once."""
        found = {}
        for module, tree in self.trees.items():
            if "_src" in module.split("."):
                continue
            for name in exports_of(tree):
                definition = self.find(module, name)
                if definition is not None:
                    found[definition.module, definition.node.name] = definition
        return [found[key] for key in sorted(found)]

    def bases(self, definition):
        """The classes of the package that a class derives from, the nearest first."""
        for base in definition.node.bases:
            text = ast.unparse(base.value if isinstance(base, ast.Subscript) else base)
            prefix, _, name = text.rpartition(".")
            module = self._module_of(definition.module, prefix)
            found = self.find(module, name)
            if found is not None and isinstance(found.node, ast.ClassDef):
                yield found
                yield from self.bases(found)

    def _module_of(self, module, prefix):
        """The module that `prefix` stands for in another one; that one itself for ""."""
        bound = self._bindings.get(module, {}).get(prefix)
        return f"{bound.module}.{prefix}" if isinstance(bound, ast.ImportFrom) else module


def bindings_of(tree):
    """{name: what binds it} at the top of a module."""
    bound = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            bound.update({alias.asname or alias.name: node for alias in node.names})
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            bound[node.name] = node
        elif isinstance(node, ast.Assign):
            bound.update({t.id: node.value for t in node.targets if isinstance(t, ast.Name)})
    return bound


def exports_of(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [each.value for each in node.value.elts if isinstance(each, ast.Constant)]
    return []


def methods_of(node):
    """The public methods and properties of a class, without setters and overloads."""
    for each in node.body:
        if not isinstance(each, FUNCTIONS) or is_repeated(each):
            continue
        if not each.name.startswith("_") or each.name in CALLED_BY_NAME:
            yield each


def is_repeated(function):
    decorators = [ast.unparse(each) for each in function.decorator_list]
    return any(each == "overload" or each.endswith((".setter", ".deleter")) for each in decorators)


def arguments_of(function, is_method):
    """The names of its arguments, without the object of a method."""
    given = function.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    names = [each.arg for each in every if each is not None]
    return names[1:] if is_method and names and names[0] in ("self", "cls") else names


def section(text, title):
    """The lines below `Args:` or another title, up to the next title."""
    match = re.search(rf"^{title}:\n((?:[ ]{{4}}.*\n?|\n)*)", text, re.MULTILINE)
    return match.group(1) if match else ""


def unsaid(names, texts):
    """Those of the arguments that no docstring has a line for."""
    said = "\n".join(section(text, "Args") for text in texts)
    wanted = [name for name in names if name not in COMMON and not name.startswith("_")]
    return [name for name in wanted if not re.search(rf"^    \**{name}: \S", said, re.MULTILINE)]


def lacking(function, texts, is_method=False):
    """What the docstrings of a function, of its class or of those it overrides do not say."""
    if not any(texts):
        return ["docstring"]
    names = arguments_of(function, is_method)
    missing = unsaid(names, texts)
    result = ast.unparse(function.returns) if function.returns else "None"
    takes = any(name not in COMMON and not name.startswith("_") for name in names)
    if takes and result not in NO_RESULT and function.name != "__init__":
        titles = ("Returns", "Yields")
        if not any(section(text, title) for text in texts for title in titles):
            missing.append("Returns")
    return missing


def docstring(node):
    return ast.get_docstring(node) or ""


def faults_of_class(package, definition):
    """(line, name, what is missing) for the methods that a class or its private bases define."""
    node = definition.node
    owners = [node, *(base.node for base in package.bases(definition))]
    if not docstring(node) and not node.name.startswith("_"):
        yield node.lineno, node.name, ["docstring"]
    for method in methods_of(node):
        inherited = [m for owner in owners for m in methods_of(owner) if m.name == method.name]
        texts = [docstring(each) for each in inherited]
        if method.name in CALLED_BY_NAME:
            texts += [docstring(owner) for owner in owners]
        missing = lacking(method, texts, is_method=True)
        if missing:
            yield method.lineno, f"{node.name}.{method.name}", missing


def faults(package_folder):
    """[(Definition, line, name, what is missing)] of all that is public."""
    package = Package(pathlib.Path(package_folder))
    definitions = {(each.module, each.node.name): each for each in package.public()}
    for definition in list(definitions.values()):
        if isinstance(definition.node, ast.ClassDef):
            bases = package.bases(definition)
            definitions.update({(base.module, base.node.name): base for base in bases})
    found = []
    for definition in definitions.values():
        node = definition.node
        if isinstance(node, ast.ClassDef):
            rows = faults_of_class(package, definition)
        else:
            missing = lacking(node, [docstring(node)])
            rows = [(node.lineno, node.name, missing)] if missing else []
        found += [(definition, *row) for row in rows]
    return found


def main(folder, *rooms):
    for definition, line, name, missing in faults(folder):
        if not rooms or definition.folder in rooms:
            print(f"{definition.path}:{line}: {name}: {', '.join(missing)}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(*sys.argv[1:])
