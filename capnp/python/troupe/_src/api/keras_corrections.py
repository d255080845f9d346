"""Loads the package `keras` of PyPI, 2.2 or 2.3, on today's Python, NumPy and h5py.

These versions, which are made for TensorFlow 1, end with Python 3.7: some lines use what later
versions of Python, NumPy and h5py have removed. A finder in front of Python's loads their modules
from their own files with these lines replaced; the files stay as they are.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import re
import sys
from typing import Any, Iterator, Optional, Sequence, Tuple

_PACKAGES = ("keras", "keras_preprocessing")

# What is removed since, and what is there instead.
_REPLACED = [
    (re.compile(pattern), text)
    for pattern, text in (
        (r"\bfrom collections import Iterable\b", "from collections.abc import Iterable"),
        (r"(?m)^import collections$", "import collections.abc"),
        (r"\bcollections\.(Container|Iterable|Mapping|Sequence)\b", r"collections.abc.\1"),
        (r"\binspect\.getargspec\b", "inspect.getfullargspec"),
        (
            r"\binspect\.ArgSpec\(",
            "__import__('collections').namedtuple('ArgSpec', 'args varargs keywords defaults')(",
        ),
        (r"\btraining is ([01])\b", r"training == \1"),
        (r"\bis not 0\b", "!= 0"),
        (r"\byaml\.load\((\w+)\)", r"yaml.load(\1, Loader=yaml.FullLoader)"),
        (r"\.get_shape\(\)\._dims\b", ".get_shape().dims"),
        # tf.keras lets models whose classes have a function `call` be layers of others.
        (
            r"(only relevant for Theano\.\n( +))if (all\(\[s is)",
            r"\1if not getattr(self, '_is_graph_network', True):\n"
            r"\2    output_shape = unpack_singleton([K.int_shape(x) for x in to_list(output)])\n"
            r"\2elif \3",
        ),
        # tf.keras flattens vectors as well, and has the class of wrappers beside them.
        (r"(?s)(\nclass Flatten\(.*?InputSpec\(min_ndim=)3", r"\g<1>1"),
        (r"(?m)^from \.wrappers import TimeDistributed$", r"\g<0>\nfrom .wrappers import Wrapper"),
        (r"\bnp\.Inf\b", "np.inf"),
        (r"\bnp\.array\((xs\[[^]]*\]|xs)\)", r"np.array(\1, dtype=object)"),
        (r"\bnp\.string_(?!\w)", "np.bytes_"),
        (r"\bnp\.unicode_(?!\w)", "np.str_"),
        (
            r"\bfrom distutils\.version import StrictVersion\b",
            "StrictVersion = lambda text: tuple(map(int, text.split('.')))",
        ),
        # h5py opens files to read since its version 3, and gives attributes of text as str.
        ("h5py.File\\('in-memory-h5py', driver", "h5py.File('in-memory-h5py', 'a', driver"),
        (r"\b(h5file|h5_file)\.fid\b", r"\1.id"),
        (
            r"if val\.dtype\.type == np\.bytes_:\s+val = val\.tolist\(\)",
            "val = [x.encode() if isinstance(x, str) else x for x in val.tolist()]",
        ),
        (
            r"\b([\w.]+(?:\['\w+'\])?)\.decode\('utf-?8'\)",
            r"(\1 if isinstance(\1, str) else \1.decode('utf8'))",
        ),
        # Summaries show the type of what is no int since NumPy 2.
        (r"\bnp\.prod\((input_shape(?:\[1:\])?|input_shape, dtype='?int'?)\)", r"int(np.prod(\1))"),
        # scikit-learn asks its estimators what they are.
        *(
            (
                rf"(?s)(\nclass Keras{kind}\(BaseWrapper\):.*?)(\n    def )",
                r"\1\n    def __sklearn_tags__(self):\n"
                rf"        from sklearn.base import BaseEstimator, {kind}Mixin\n"
                rf"        return type('Tags', ({kind}Mixin, BaseEstimator), {{}})()"
                r".__sklearn_tags__()\n\2",
            )
            for kind in ("Classifier", "Regressor")
        ),
        # tf.keras lets models be called with `training`, which they hand to their layers.
        (
            r"(def call\(self, inputs, mask=None)(\):\s+.{3}Calls the model on)",
            r"\1, training=None\2",
        ),
        (
            r"(output_tensors, _, _ = self\.run_internal_graph\(inputs, masks)\)",
            r"\1, training)",
        ),
        (
            r"(?s)(def run_internal_graph\(self, inputs, masks=None)"
            r"(.*?kwargs = node\.arguments\n( +)else:\n +kwargs = \{\}\n)",
            r"\1, training=None\2\3if training is not None and has_arg(layer.call, 'training'):\n"
            r"\3    kwargs = {'training': training, **kwargs}\n",
        ),
        (
            r"(object_list_uid\(masks\))(\s+if cache_key in self\._output_tensor_cache)",
            r"\1 + '_' + str(training)\2",
        ),
        (r"= \[x\._keras_shape for x in inputs\]", "= [K.int_shape(x) for x in inputs]"),
        (
            r"(_output_tensor_cache\[cache_key)(\] = output_tensors)",
            r"\1 + '_' + str(training)\2",
        ),
        # tf.keras scales normal distributions that are not cut off as well.
        (
            r"distribution not in \{'normal', 'uniform'\}",
            "distribution not in {'normal', 'uniform', 'truncated_normal', 'untruncated_normal'}",
        ),
        (r"self\.distribution == 'normal'", "self.distribution.endswith('normal')"),
        (
            r"= np\.sqrt\(scale\) / \.87962566103423978",
            "= np.sqrt(scale) / (1 if self.distribution[0] == 'u' else .87962566103423978)",
        ),
        (
            r"\bK\.truncated_normal\(shape, 0\., stddev",
            "(K.random_normal if self.distribution[0] == 'u' else K.truncated_normal)(\n"
            "                shape, 0., stddev",
        ),
        # Models take the optimizers of tf.keras, whose configurations have a name, besides its own.
        (
            r"(?m)^    if isinstance\(identifier, Optimizer\):",
            "    if isinstance(identifier, Optimizer) or hasattr(identifier, '_create_hypers'):",
        ),
        (
            r"(?m)^    all_classes = \{\n        'sgd': SGD,",
            "    if 'name' in config['config']:\n"
            "        return tf.keras.optimizers.deserialize(config, custom_objects)\n\\g<0>",
        ),
        # The loss of many batches is their mean, as before 2.3 and in tf.keras, not the last one's.
        (
            r"\[float\(outs_per_batch\[-1\]\[0\]\)\]",
            "[float(np.average([out[0] for out in outs_per_batch], weights=batch_sizes))]",
        ),
    )
]


def keras_folders() -> Iterator[Tuple[str, str]]:
    """The folders of the package on Python's path, first come first, each with its version."""
    for place in sys.path:
        spec = importlib.machinery.PathFinder.find_spec("keras", [place])
        file = None if spec is None else spec.origin
        version = _version_of(file) if file is not None and os.path.isfile(file) else None
        if file is not None and version is not None:
            yield os.path.dirname(file), version


@functools.lru_cache(maxsize=None)
def _version_of(file: str) -> Optional[str]:
    """What the package says in its own text: one beside a program is not installed."""
    with open(file, encoding="utf-8") as text:
        found = re.search(r"^__version__ = ['\"](.+)['\"]", text.read(), re.MULTILINE)
    return found[1] if found else None


def keras_version() -> Optional[str]:
    """The version of the package that `import keras` gives."""
    for _, version in keras_folders():
        return version
    try:
        return importlib.metadata.version("keras")
    except importlib.metadata.PackageNotFoundError:
        return None


def is_supported(version: Optional[str]) -> bool:
    """Whether that version runs on TensorFlow 1, and so on this package."""
    return version is not None and version.startswith(("2.2.", "2.3."))


def corrected(text: str) -> str:
    """The source of a module as today's Python needs it."""
    for pattern, replacement in _REPLACED:
        text = pattern.sub(replacement, text)
    return text


class CorrectedLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module from its corrected text."""

    def corrected(self, text: str) -> str:
        """What it compiles in place of the text of the file."""
        return corrected(text)

    def get_code(self, fullname: str) -> Any:
        """The code of the module; that in Python's cache only where nothing is to correct."""
        text = self.get_source(fullname) or ""
        changed = self.corrected(text)
        if changed == text:
            return super().get_code(fullname)
        return self.source_to_code(changed.encode(), self.get_filename(fullname))


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, name: str, path: Optional[Sequence[str]] = None, target: Any = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if name.split(".")[0] not in _PACKAGES or not is_supported(keras_version()):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        spec.loader = CorrectedLoader(name, spec.loader.path)
        return spec


def install() -> None:
    """Corrects what this process imports from now on."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
