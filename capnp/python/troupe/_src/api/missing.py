"""Names that a public module does not define: unsupported ones, and those loaded when used."""

from __future__ import annotations

import difflib
import importlib
import sys
from typing import Any, Callable, Dict, Sequence, Tuple

from troupe._src.ops import gen_ops

# TensorFlow's names that are not supported, by what they belong to.
_UNSUPPORTED: Dict[str, Tuple[str, ...]] = {
    "arrays of a specification": ("TensorArraySpec",),
    "checks of several shapes": ("assert_shapes",),
    "ragged tensors, and ops of Unicode": (
        "bytes_split", "ngrams", "format", "RaggedTensor", "ragged", "unicode_decode",
        "unicode_decode_with_offsets", "unicode_encode", "unicode_script", "unicode_split",
        "unicode_split_with_offsets", "unicode_transcode",
    ),
    "images, others": (
        "combined_non_max_suppression", "ssim_multiscale", "resize_image_with_pad",
    ),
    "pooling with random windows and rearrangements of space and depth": (
        "fractional_avg_pool", "fractional_max_pool", "with_space_to_batch",
    ),
    "crosses of sparse tensors": ("cross", "cross_hashed",),
    "matrix decompositions": ("orthogonal_initializer",),
    "eager execution": ("py_function",),
    "summaries of sounds, and ops that write summaries": (
        "audio", "create_file_writer", "all_v2_summary_ops", "get_summary_description",
        "initialize",
    ),
    "Keras (tf.layers and tf.nn have the same layers)": ("keras",),
}  # fmt: skip


def missing_names(module: str, lazy: Sequence[str] = ()) -> Callable[[str], Any]:
    """The `__getattr__` of a public module: called with the names that the module lacks.

    It imports the submodules in `lazy` and returns functions of ops that the catalog has and this
    package does not wrap; for all others it raises an AttributeError that tells why.
    """

    def get(name: str) -> Any:
        if name in lazy:
            return importlib.import_module(f"{module}.{name}")
        if not name.startswith("_") and name in vars(gen_ops):
            return vars(gen_ops)[name]
        raise AttributeError(_explain(module, name))

    return get


def attributes_of(module: str) -> Callable[[str], Any]:
    """The `__getattr__` of a module that is another name of `module`."""

    def get(name: str) -> Any:
        return getattr(importlib.import_module(module), name)

    return get


def _explain(module: str, name: str) -> str:
    for kind, names in _UNSUPPORTED.items():
        if name in names:
            return (
                f"module '{module}' has no '{name}': {kind} are not part of this version of troupe"
            )
    known = [known for known in vars(sys.modules[module]) if not known.startswith("_")]
    nearest = difflib.get_close_matches(name, known, n=1)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else ""
    return f"module '{module}' has no '{name}' in this version of troupe{hint}"
