"""Programs and tests of libraries that TensorFlow's own makers have beside it."""

from __future__ import annotations

from typing import List

from libraries.shared import NUMBERS, one
from program import Edits, Program

_DIGITS = (
    r"tf\.keras\.datasets\.mnist\.load_data\(\)",
    "[(__import__('numpy').random.RandomState(n).randint(0, 256, (n, 28, 28)), "
    "__import__('numpy').random.RandomState(n + 1).randint(0, 10, n)) for n in (256, 64)]",
)
# Names that modules of Python no longer have.
_MODERN: Edits = [
    (r"\bcollections\.(Mapping|Sequence|Iterable|MutableMapping|Hashable|OrderedDict)\b",
     r"{**vars(__import__('collections.abc').abc), **vars(__import__('collections'))}['\1']"),
    NUMBERS,
]  # fmt: skip

COMPANIONS: List[Program] = [
    one("tensorflow/model-optimization",
        "tensorflow_model_optimization/python/examples/sparsity/keras/mnist/mnist_cnn.py",
        "--noenable_eager --output_dir logs",
        [_DIGITS, (r"^epochs = 12", "epochs = 1"), (r"tempfile\.mkstemp\('\.h5'\)",
         "(0, 'model.h5')")], imported_from=["."]),
    one("tensorflow/privacy", "tensorflow_privacy/privacy/optimizers/dp_optimizer_test.py", "",
        [NUMBERS], seconds=480),
    one("tensorflow/privacy", "tutorials/mnist_dpsgd_tutorial.py",
        "--batch_size 32 --microbatches 8 --epochs 1", [_DIGITS, NUMBERS]),
    one("tensorflow/probability", "tensorflow_probability/examples/vae.py",
        "--fake_data --max_steps 4 --viz_steps 2 --batch_size 4 --model_dir out --data_dir .",
        _MODERN),
]  # fmt: skip
