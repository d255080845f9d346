"""Names that a public module does not define: unsupported ones, and those loaded when used."""

from __future__ import annotations

import difflib
import importlib
import sys
from typing import Any, Callable, Dict, List, Sequence, Tuple

from troupe._src.api.locations import install_finder
from troupe._src.ops import gen_ops

# TensorFlow's names that are not supported, by what they belong to.
_UNSUPPORTED: Dict[str, Tuple[str, ...]] = {
    "arrays of a specification": ("TensorArraySpec",),
    "eager execution": ("py_function",),
    "quantized dtypes": (
        "QUANTIZED_DTYPES", "dequantize", "quantize", "quantize_v2", "quantized_concat",
    ),
    "descriptions of summaries": ("get_summary_description",),
}  # fmt: skip


def missing_names(
    module: str,
    lazy: Sequence[str] = (),
    has_ops: bool = False,
    place: str = "",
    located: str = "",
) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of a public module.

    `__getattr__` is called with the names that the module lacks. It imports the submodules in
    `lazy`, and those in `located` from that place in TensorFlow's source, and returns functions of
    ops that the catalog has and this package does not wrap, where the module `has_ops`; for all
    others it raises an AttributeError that tells why. Type checkers must not see it, or they would
    take any name. `__dir__` lists what the module offers, not what it imports for its own use, nor
    what is there for the place in the source alone.
    """

    elsewhere = located.split()

    def get(name: str) -> Any:
        if name in lazy:
            if name == "python":
                install_finder()
            return importlib.import_module(f"{module}.{name}")
        if name in elsewhere:
            install_finder()
            return importlib.import_module(f"{module.split('.')[0]}.{place}.{name}")
        if has_ops and not name.startswith("_") and name in vars(gen_ops):
            return vars(gen_ops)[name]
        raise AttributeError(_explain(module, name))

    def list_names() -> List[str]:
        own = vars(sys.modules[module])
        return sorted({*own["__all__"], *lazy, *(name for name in own if name.startswith("__"))})

    return get, list_names


def attributes_of(module: str) -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """The `__getattr__` and the `__dir__` of a module that is another name of `module`."""

    def get(name: str) -> Any:
        return getattr(importlib.import_module(module), name)

    return get, lambda: dir(importlib.import_module(module))


def _explain(module: str, name: str) -> str:
    for kind, names in _UNSUPPORTED.items():
        if name in names:
            return f"module '{module}' has no '{name}': not part of this version of troupe: {kind}"
    hint = _nearest(module, name)
    return f"module '{module}' has no '{name}' in this version of troupe{hint}"


def _nearest(module: str, name: str) -> str:
    """A public name of the module that is spelled alike; else one of that name elsewhere."""
    known = {known.lower(): known for known in dir(sys.modules[module]) if known[0] != "_"}
    nearest = difflib.get_close_matches(name.lower(), known, n=1, cutoff=0.75)
    if nearest:
        return f"; did you mean '{known[nearest[0]]}'?"
    package = module.split(".")[0]
    for other, loaded in sorted(sys.modules.items()):
        if other.startswith(f"{package}.") and "._" not in other:
            if name in getattr(loaded, "__all__", ()):
                return f"; did you mean '{other}.{name}'?"
    return ""
