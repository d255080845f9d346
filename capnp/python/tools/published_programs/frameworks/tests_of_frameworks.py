"""The tests of frameworks for models, attacks and layers."""

from __future__ import annotations

from typing import List

from libraries.shared import NUMBERS, one
from program import Edits, Program

# Names that NumPy and Python no longer have.
_OLDER: Edits = [
    NUMBERS, (r"\bcollections\.(Mapping|Sequence|Iterable)\b",
              r"__import__('collections.abc').abc.\1"),
    (r"^from collections import Iterable", "from collections.abc import Iterable"),
    (r"np\.(string_|float_|alltrue|Inf)\b",
     r"{'string_': np.bytes_, 'float_': np.float64, 'alltrue': np.all, 'Inf': np.inf}['\1']"),
]  # fmt: skip
# What layers do not need, of the packages that the framework imports.
_ALONE: Edits = [
    (r"^import (skimage|imageio|progressbar)$", r"\1 = None"), (r"^from skimage.*$", ""),
    (r"^from lxml import etree$", "etree = None"), NUMBERS,
]  # fmt: skip

TESTS: List[Program] = [
    *(
        one("GPflow/GPflow", f"tests/test_{name}.py", "", _OLDER, name=f"GPflow/{name}",
            is_module=True)
        for name in ("autoflow", "conditionals", "gplvm", "kerns", "model", "param", "transforms",
                     "variational")
    ),
    *(
        one("cleverhans-lab/cleverhans", f"tests_tf/test_{name}.py", "", [NUMBERS],
            name=f"cleverhans-lab/{name}", imported_from=["."])
        for name in ("attacks_tf", "defenses", "model", "projected_gradient_descent", "utils_keras")
    ),
    *(
        one("tensorlayer/tensorlayer", f"tests/test_{name}.py", "", _ALONE,
            name=f"tensorlayer/{name}", imported_from=["."])
        for name in ("activations", "layers_activation", "layers_normalization", "layers_shape",
                     "layers_stack", "layers_merge", "array_ops")
    ),
]  # fmt: skip
