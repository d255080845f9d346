"""Public functions, classes and methods say what they are, what they take and what they give."""

import importlib
import inspect
import pathlib
import pkgutil
import tempfile
import unittest

import docstring_faults
import troupe

# Keras has the names of another package.
_HIDDEN = ("__main__", "as_tensorflow", "keras", "_native")


def modules():
    yield troupe
    for found in pkgutil.walk_packages(troupe.__path__, "troupe."):
        parts = found.name.split(".")
        if "_src" not in parts and parts[-1] not in _HIDDEN:
            yield importlib.import_module(found.name)


class DocstringsTest(unittest.TestCase):
    def test_each_public_function_and_class_has_a_docstring(self):
        without = [
            f"{module.__name__}.{name}"
            for module in modules()
            for name in getattr(module, "__all__", ())
            if callable(getattr(module, name)) and not inspect.ismodule(getattr(module, name))
            if not inspect.getdoc(getattr(module, name))
        ]
        self.assertEqual(without, [])

    def test_functions_that_others_make_say_their_arguments(self):
        missing = {}
        for module in modules():
            for name in getattr(module, "__all__", ()):
                function = getattr(module, name)
                # Flags are those of absl, with its docstrings.
                if inspect.isfunction(function) and not function.__module__.startswith("absl."):
                    names = list(inspect.signature(function).parameters)
                    faults = docstring_faults.unsaid(names, [inspect.getdoc(function) or ""])
                    missing.update({f"{module.__name__}.{name}": faults} if faults else {})
        self.assertEqual(missing, {})

    def test_each_public_function_and_method_says_its_arguments_and_its_result(self):
        faults = [
            f"{definition.path}:{line}: {name}: {', '.join(missing)}"
            for definition, line, name, missing in docstring_faults.faults(troupe.__path__[0])
        ]
        self.assertEqual(faults, [])


class CheckerTest(unittest.TestCase):
    """The faults that are planted in a package are found."""

    def faults(self, source, public="from package._src.one.a import f\n__all__ = ['f']\n"):
        with tempfile.TemporaryDirectory() as folder:
            package = pathlib.Path(folder, "package")
            (package / "_src/one").mkdir(parents=True)
            for path in (".", "_src", "_src/one"):
                (package / path / "__init__.py").write_text("")
            (package / "_src/one/a.py").write_text(source)
            (package / "public.py").write_text(public)
            rows = docstring_faults.faults(package)
            self.assertTrue(all(row[0].folder == "one" for row in rows))
            return [f"{name}: {', '.join(missing)}" for _, _, name, missing in rows]

    def test_a_complete_function_has_none(self):
        said = "Args:\n        x: It.\n        *rest: More.\n\n    Returns:\n        x."
        source = f'def f(x, *rest, name=None) -> int:\n    """Does.\n\n    {said}\n    """\n'
        self.assertEqual(self.faults(source), [])

    def test_what_a_docstring_lacks_is_named(self):
        text = '"""Does.\n\n    Args:\n        x: It.\n    """'
        source = f"def f(x, y, *z, u=1, **v) -> int:\n    {text}\n"
        self.assertEqual(self.faults(source), ["f: y, z, u, v, Returns"])
        self.assertEqual(self.faults('def f(cls) -> None:\n    """Does."""\n'), ["f: cls"])

    def test_an_argument_that_is_named_outside_of_its_section_does_not_count(self):
        text = '"""Does.\n\n    x: It.\n\n    Raises:\n        y: It.\n    """'
        self.assertEqual(self.faults(f"def f(x, y):\n    {text}\n"), ["f: x, y"])

    def test_what_gives_nothing_needs_no_result_and_what_takes_nothing_one_sentence(self):
        self.assertEqual(self.faults('def f() -> int:\n    """One."""\n'), [])
        self.assertEqual(self.faults("def f() -> int:\n    return 1\n"), ["f: docstring"])
        text = '"""Does.\n\n    Args:\n        x: It.\n    """'
        self.assertEqual(self.faults(f"def f(x) -> None:\n    {text}\n"), [])

    def test_aliases_are_followed(self):
        source = "def g(x) -> None:\n    pass\nf = g\n"
        self.assertEqual(self.faults(source), ["g: docstring"])

    def test_methods_of_a_class_and_of_its_private_base_count(self):
        source = (
            'class _B:\n    """B."""\n    def one(self, x) -> None:\n        """One."""\n'
            'class f(_B):\n    """F."""\n    def __init__(self, y): pass\n    def _no(self): pass\n'
        )
        self.assertEqual(sorted(self.faults(source)), ["_B.one: x", "f.__init__: y"])

    def test_an_override_needs_no_words_where_the_base_says_its_arguments(self):
        said = '"""One.\n\n        Args:\n            x: It.\n        """'
        source = (
            f'class B:\n    """B."""\n    def one(self, x) -> None:\n        {said}\n'
            'class f(B):\n    """F."""\n    def one(self, x, y=1) -> None: pass\n'
        )
        self.assertEqual(self.faults(source), ["f.one: y"])

    def test_the_class_may_say_the_arguments_of_its_constructor(self):
        said = '"""F.\n\n    Args:\n        y: It.\n    """'
        source = f"class f:\n    {said}\n    def __init__(self, y):\n        pass\n"
        self.assertEqual(self.faults(source), [])


if __name__ == "__main__":
    unittest.main()
