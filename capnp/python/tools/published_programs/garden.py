"""Programs of tensorflow/models, and others that come with estimators, records and tests."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

from program import Edits, Program, Task

_MODELS = "tensorflow/models"


def _one(
    repository: str, path: str, arguments: str = "", edits: Edits = (), data: str = "",
    name: str = "", libraries: Sequence[Tuple[str, str]] = (), **options: Any,
) -> Program:  # fmt: skip
    """A program with all files of its folder, or of `tree`; its data are separated by commas."""
    name = name or f"{repository}/{path.removesuffix('.py')}"
    options = {"tree": path.rpartition("/")[0], "tasks": [Task(arguments.split())], **options}
    makers = [each for each in data.split(", ") if each]
    return Program(
        name, repository, path, edits=edits, data=makers, libraries=libraries, **options
    )


def _official(path: str, arguments: str, edits: Edits = (), data: str = "", **more: Any) -> Program:
    """A program of the folder `official`, with the modules of its folder and the shared ones."""
    own = f"official/{path.partition('/')[0]}"
    folders = [f"{own}/", "official/utils/", "official/__init__.py", "official/datasets/"]
    libraries = [(_MODELS, folder) for folder in folders]
    return _one(_MODELS, f"official/{path}", arguments, edits, data, libraries=libraries,
                tree=None, **more)  # fmt: skip


_SPLIT = "--dataset_name=flowers --dataset_dir=flowers --train_dir=out --model_name={} {} "
_SLIM = _SPLIT + "--batch_size=4 --max_number_of_steps=3 --num_readers=1 --clone_on_cpu "
_FEW = [(r"NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 50000", "NUM_EXAMPLES_PER_EPOCH_FOR_TRAIN = 100"),
        (r"cifar10\.maybe_download_and_extract\(\)", "pass")]  # fmt: skip

GARDEN_OF_MODELS = [
    _official("mnist/mnist.py", "--data_dir data/mnist --train_epochs 1 --batch_size 200 "
              "--model_dir out --export_dir saved", data="unpacked digits"),
    *(
        _official(f"resnet/{name}_main.py", f"--use_synthetic_data --resnet_size {size} "
                  "--train_epochs 1 --epochs_between_evals 1 --max_train_steps 1 --batch_size 4 "
                  f"--model_dir out {more}")
        for name, size, more in (("cifar10", 8, "--resnet_version 2"),
                                 ("imagenet", 18, "--image_bytes_as_serving_input"))
    ),
    *(
        _official("wide_deep/census_main.py", "--data_dir . --model_dir out --train_epochs 2 "
                  "--epochs_between_evals 2 --batch_size 40 --export_dir saved --model_type "
                  f"{kind} --download_if_missing=false", data="incomes",
                  name=f"{_MODELS}/census_main, {kind}")
        for kind in ("wide", "deep", "wide_deep")
    ),
    _one(_MODELS, "tutorials/rnn/ptb/ptb_word_lm.py",
         "--data_path data/ptb --model test --num_gpus 0 --save_path out", data="language"),
    _one(_MODELS, "tutorials/image/cifar10/cifar10_train.py",
         "--data_dir . --train_dir out --max_steps 6 --batch_size 8 --log_frequency 2", _FEW,
         "binary pictures"),
    _one(_MODELS, "tutorials/image/cifar10/cifar10_multi_gpu_train.py",
         "--data_dir . --train_dir out --max_steps 4 --batch_size 8 --num_gpus 2",
         [*_FEW, (r"'/gpu:%d' % i", "'/cpu:0'")], "binary pictures"),
    *(
        _one(_MODELS, "research/slim/train_image_classifier.py", _SLIM.format(model, more),
             data="flowers", before=[["make_flowers.py"]],
             name=f"{_MODELS}/train_image_classifier, {model}")
        for model, more in (
            ("mobilenet_v1_025", "--preprocessing_name=mobilenet_v1 "
             "--train_image_size=32 --optimizer=rmsprop"),
            ("cifarnet", "--preprocessing_name=cifarnet --optimizer=momentum"),
        )
    ),
    _one(_MODELS, "research/slim/eval_image_classifier.py",
         "--dataset_name=flowers --dataset_dir=flowers --dataset_split_name=validation "
         "--checkpoint_path=out --eval_dir=eval --model_name=cifarnet --batch_size=4 "
         "--preprocessing_name=cifarnet --max_num_batches=2", data="flowers",
         before=[["make_flowers.py"], ["train_image_classifier.py", *_SLIM.format(
             "cifarnet", "--preprocessing_name=cifarnet").split()]]),
]  # fmt: skip

_DETECTION = "research/object_detection"
_TESTED = ("core", "utils", "box_coders", "matchers", "anchor_generators")

# The tests of the models and losses of a library, which are programs as well.
TESTS = [
    *(
        _one(_MODELS, f"{_DETECTION}/{path}_test.py", tree=None,
             edits=[(r"^from object_detection", "from research.object_detection")],
             libraries=[(_MODELS, f"{_DETECTION}/{folder}/") for folder in _TESTED])
        for path in ("core/box_list_ops", "core/batcher", "box_coders/keypoint_box_coder",
                     "matchers/argmax_matcher")
    ),
    _official("transformer/model/beam_search_test.py", ""),
    _official("utils/logs/metric_hook_test.py", ""),
    *(
        _one("tensorflow/ranking", f"tensorflow_ranking/python/{name}_test.py", tree="")
        for name in ("losses", "head")
    ),
]  # fmt: skip

_PEOPLE = ("--train-files adult.data.csv --eval-files adult.test.csv --job-dir out "
           "--train-steps 20 --eval-steps 2 ")  # fmt: skip
_RANKS = ("--train_path=ranks.txt --vali_path=ranks.txt --test_path=ranks.txt --output_dir=out "
          "--num_features=6 --num_train_steps=20 --train_batch_size=4 --list_size=6 ")  # fmt: skip
OTHERS = [
    _one("GoogleCloudPlatform/cloudml-samples", "census/estimator/trainer/task.py", _PEOPLE,
         data="incomes", tree="census/estimator", is_module=True),
    _one("GoogleCloudPlatform/cloudml-samples", "census/tensorflowcore/trainer/task.py", _PEOPLE,
         data="incomes", tree="census/tensorflowcore", is_module=True),
    _one("GoogleCloudPlatform/cloudml-samples", "census/customestimator/trainer/task.py", _PEOPLE,
         data="incomes", tree="census/customestimator", is_module=True),
    *(
        _one("tensorflow/ranking", "tensorflow_ranking/examples/tf_ranking_libsvm.py",
             _RANKS + more, data="ranks", tree="", name=f"tensorflow/ranking, {kind}")
        for kind, more in (
            ("one loss", "--loss=pairwise_logistic_loss"),
            ("groups and two losses", "--loss=approx_ndcg_loss --group_size=2 "
             "--secondary_loss=pairwise_logistic_loss"),
        )
    ),
    _one("allenai/bilm-tf", "bin/train_elmo.py",
         "--save_dir out --vocab_file letters.vocab --train_prefix letters.txt",
         [(r"^import argparse$", "import argparse, os; os.makedirs('out')"),
          (r"n_gpus = 3", "n_gpus = 1"), (r"batch_size = 128", "batch_size = 4"),
          (r"n_train_tokens = 768648884", "n_train_tokens = 1000"), (r"'/gpu:", "'/cpu:"),
          (r"'dim': 4096", "'dim': 16"), (r"'projection_dim': 512", "'projection_dim': 8"),
          (r"'n_epochs': 10", "'n_epochs': 1"), (r"\[3, 64\],[^']*'max", "[3, 64]],\n     'max"),
          (r"_batch': 8192", "_batch': 8"), (r"raise StopIteration$", "return")],
         "sentences of letters", tree=""),
    _one("deepmind/learning-to-learn", "train.py",
         "--num_epochs=2 --log_period=1 --evaluation_period=2 --evaluation_epochs=1 "
         "--num_steps=10 --unroll_length=5 --save_path=out --problem=simple",
         # A module for the digits, which this problem does not have; and names of Python 3.
         [(r"^from tensorflow\.contrib\.learn.*datasets import mnist as.*$", ""),
          (r"\bcollections\.(Mapping|Iterable|Sequence)\b",
           r"__import__('collections.abc').abc.\1"),
          (r"inspect\.getargspec\(method\)", "inspect.getfullargspec(method)")],
         libraries=[("deepmind/sonnet", "sonnet")], data="messages of modules"),
]  # fmt: skip

GARDEN: List[Program] = [*GARDEN_OF_MODELS, *TESTS, *OTHERS]
