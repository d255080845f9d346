"""Tests and programs of libraries that models are made of: modules, embeddings, translations."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

# A function that Python has no longer.
_ARGUMENTS: Edits = [(r"\binspect\.getargspec\b", "inspect.getfullargspec")]

PARTS_OF_MODELS: List[Program] = [
    *(
        one("google-deepmind/graph_nets", f"graph_nets/tests/{name}_test.py")
        for name in ("graphs", "utils_tf")
    ),
    one("tensorflow/hub", "examples/text_embeddings/export_test.py", "",
        [(r"from examples\.text_embeddings import export", "import export")],
        tree="examples/text_embeddings"),
    *(
        one("tensorflow/gan", f"tensorflow_gan/python/{path}_test.py", "", _ARGUMENTS, seconds=480)
        for path in ("losses/losses_impl", "losses/tuple_losses")
    ),
    *(
        one("OpenNMT/OpenNMT-tf", f"opennmt/tests/{name}_test.py", "", _ARGUMENTS, seconds=480)
        for name in ("position", "transformer")
    ),
    *(
        one("tensorflow/kfac", f"kfac/python/kernel_tests/{name}_test.py", "", _ARGUMENTS)
        for name in ("estimator", "loss_functions")
    ),
]  # fmt: skip
