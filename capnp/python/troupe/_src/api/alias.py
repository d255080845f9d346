"""Makes `import tensorflow`, and its submodules, this package."""

from __future__ import annotations

import importlib
import importlib.abc
import sys
from typing import Any, Callable, List, Optional, Sequence, Tuple

from troupe._src.api import keras_corrections
from troupe._src.api.aliases import Aliases
from troupe._src.api.locations import install_finder
from troupe._src.api.missing import attributes_of

_PACKAGE = __name__.split(".")[0]
_ALIAS = "tensorflow"
_ESTIMATORS = "tensorflow_estimator"


class _Explainer(importlib.abc.MetaPathFinder):
    """The last finder: says why `from tensorflow import X` finds no X."""

    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> None:
        package, _, attribute = name.partition(".")
        if package == _PACKAGE and attribute.isidentifier() and not attribute.startswith("_"):
            try:
                getattr(sys.modules[_PACKAGE], attribute)
            except AttributeError as error:
                raise ImportError(str(error), name=name) from None


def install() -> Tuple[Callable[[str], Any], Callable[[], List[str]]]:
    """Installs the alias in this process; the attributes of a module that does so."""
    loaded = sys.modules.get(_ALIAS)
    if loaded is not None and loaded is not sys.modules[_PACKAGE]:
        raise ImportError(f"this program has imported another {_ALIAS} already")
    if not any(getattr(finder, "alias", None) == _ALIAS for finder in sys.meta_path):
        sys.meta_path.insert(0, Aliases(_ALIAS, _PACKAGE, _PACKAGE))
        if _ESTIMATORS not in sys.modules:  # estimators, which TensorFlow has beside itself
            sys.meta_path.insert(0, Aliases(_ESTIMATORS, _PACKAGE, _PACKAGE))
        install_finder()
        sys.meta_path.append(_Explainer())
        keras_corrections.install()
        # By its name: that room needs this one.
        importlib.import_module(f"{_PACKAGE}._src.libraries.protobuf_text").install()
    return attributes_of(_PACKAGE)
