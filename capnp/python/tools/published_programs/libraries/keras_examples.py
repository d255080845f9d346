"""The examples of Keras 2.3.1, which stands on TensorFlow as a package of its own."""

from __future__ import annotations

from typing import Any, Dict, List

from libraries.shared import NUMBERS
from program import Edits, Program, Task, of, steps

# The digits, photographs, reviews and news that Keras fetches: fewer, and made here.
MADE = (r"from keras\.datasets import", "from few_examples import")
_ONCE: Edits = [MADE, *steps("epochs", 1)]
_DIGITS = {"edits": _ONCE, "data": ["few examples"]}
# Without drawings of models, which pydot makes.
_DRAWN: Dict[str, Any] = {
    "edits": [
        *_ONCE, (r"^from keras\.utils import plot_model$", "plot_model = lambda *_, **__: None"),
    ],
    "data": ["few examples"],
}
_TEXT_FILE = (r"(?s)path = get_file\(.*?nietzsche\.txt'\)", "path = 'nietzsche.txt'")
_STORIES = (r"(?s)get_file\('babi.*?tar\.gz'\)", "'babi.tar.gz'")
# The networks are not trained; fewer layers of pictures are as good as many to show that they run.
_UNTRAINED = (r"weights='imagenet'", "weights=None")
_PAIRS: Edits = [*steps("epochs", 1), *steps("latent_dim", 16)]


def _reviews(*edits: Any) -> Dict[str, Any]:
    return {
        "edits": [MADE, (r"^max(_features|_?len) = (\d+)$", r"max\1 = min(\2, 40)"), *edits],
        "data": ["few examples"],
    }


_ROWS: Dict[str, Any] = {
    "addition_rnn.py": [(r"TRAINING_SIZE = 50000", "TRAINING_SIZE = 400"),
                        (r"range\(1, 200\)", "range(1, 3)"), NUMBERS],
    "antirectifier.py": {"edits": [*_ONCE, (r"reshape\(\d+,", "reshape(-1,")],
                         "data": ["few examples"]},
    "babi_memnn.py": {"edits": [_STORIES, (r"epochs=120", "epochs=2"),
                                # What Python's splitting gives since its version 3.7.
                                (r"if x\.strip\(\)", "if x and x.strip()")],
                      "data": ["stories of rooms"]},
    "babi_rnn.py": {"edits": [_STORIES, *steps("EPOCHS", 2)], "data": ["stories of rooms"]},
    "cifar10_cnn.py": _DIGITS,
    "cifar10_resnet.py": {"edits": [*_ONCE, (r"^n = 3$", "n = 1")], "data": ["few examples"]},
    "class_activation_maps.py": {
        "edits": [(r"input_size, 3\)\)", r"input_size, 3), weights=None)")],
        "data": ["a photograph"], "tasks": [Task(["photograph.jpg"])],
    },
    "cnn_seq2seq.py": {"edits": steps("epochs", 1), "data": ["pairs of sentences"]},
    "conv_filter_visualization.py": [
        _UNTRAINED, (r"epochs=15", "epochs=1"), (r"upscaling_steps=9", "upscaling_steps=2"),
        (r"\(412, 412\)", "(48, 48)"), (r"filter_range=\(0, None\)", "filter_range=(0, 4)"),
    ],
    "conv_lstm.py": [NUMBERS, (r"n_samples=1200", "n_samples=12"),
                     (r"\[:1000\]", "[:10]"), (r"1004", "11"), (r"epochs=300", "epochs=1"),
                     (r"filters=40", "filters=4"), (r"range\((16|15)\)", "range(2)")],
    "deep_dream.py": {
        "edits": [_UNTRAINED, (r"iterations = 20", "iterations = 1"),
                  (r"^import scipy$", "import scipy.ndimage")],
        "data": ["a photograph"], "tasks": [Task(["photograph.jpg", "dream"])],
    },
    "image_ocr.py": {
        # Noise in place of painted texts, and no package that counts edits.
        "edits": [(r"^import cairocffi as cairo$", ""), (r"^import editdistance$", ""),
                  (r"^    surface = cairo", "    return speckle(np.random.rand(1, h, w))\n\\g<0>"),
                  (r"editdistance\.eval\((\w+\[j\]),", r"(lambda a, b: abs(len(a) - len(b)))(\1,"),
                  (r"(?s)os\.path\.dirname\(\s*get_file.*?untar=True\)\)", "'words'"),
                  (r"16000", "160"), (r"32000", "160"), (r"rnn_size = 512", "rnn_size = 8"),
                  (r"show_edit_distance\(256\)", "show_edit_distance(4)"),
                  (r"0, 20, 128\)", "0, 2, 128)"), (r"20, 25, 512\)", "2, 3, 256)")],
        "data": ["lists of words"],
    },
    "imdb_bidirectional_lstm.py": _reviews((r"epochs=4", "epochs=1")),
    "imdb_cnn.py": _reviews(*steps("epochs", 1)),
    "imdb_cnn_lstm.py": _reviews(*steps("epochs", 1)),
    "imdb_fasttext.py": _reviews(*steps("epochs", 1), (r"ngram_range = 1", "ngram_range = 2")),
    "imdb_lstm.py": _reviews((r"epochs=15", "epochs=1")),
    "lstm_seq2seq.py": {"edits": [*_PAIRS, (r"range\(100\)", "range(2)")],
                        "data": ["pairs of sentences"]},
    "lstm_seq2seq_restore.py": {
        "edits": [*_PAIRS, (r"range\(100\)", "range(2)")], "data": ["pairs of sentences"],
        "companions": ["lstm_seq2seq.py"], "before": [["lstm_seq2seq.py"]],
    },
    "lstm_stateful.py": [(r"input_len = 1000", "input_len = 60"), *steps("epochs", 2)],
    "lstm_text_generation.py": {
        "edits": [_TEXT_FILE, NUMBERS, (r"epochs=60", "epochs=1"), (r"range\(400\)", "range(4)")],
        "data": ["a text to go on with"],
    },
    "mnist_acgan.py": {
        "edits": [MADE, (r"epochs = 100", "epochs = 1"), (r"load_data\(\)", "load_data(400, 40)"),
                  (r"Dense\(3 \* 3 \* 384", "Dense(3 * 3 * 16"), (r"\(3, 3, 384\)", "(3, 3, 16)")],
        "data": ["few examples"],
    },
    "mnist_cnn.py": _DIGITS,
    "mnist_denoising_autoencoder.py": {"edits": [MADE, (r"epochs=30", "epochs=1")],
                                       "data": ["few examples"]},
    "mnist_hierarchical_rnn.py": {
        "edits": [*_ONCE, (r"(hidden\w*) = 128", r"\1 = 8")], "data": ["few examples"],
    },
    "mnist_irnn.py": {"edits": [*_ONCE, (r"reshape\(x_(\w+)\.shape\[0\], -1, 1\)",
                                         r"reshape(x_\1.shape[0], -1, 1)[:32, :40]"),
                                (r"load_data\(\)$", "load_data(32, 32)")],
                      "data": ["few examples"]},
    "mnist_mlp.py": {"edits": [*_ONCE, (r"reshape\(\d+,", "reshape(-1,")],
                     "data": ["few examples"]},
    "mnist_net2net.py": _DIGITS,
    "mnist_siamese.py": _DIGITS,
    "mnist_sklearn_wrapper.py": {
        "edits": [MADE, (r"'epochs': \[3, 6\]", "'epochs': [1]"),
                  (r"\[\[32\], \[64\], \[32, 32\], \[64, 64\]\]", "[[32], [32, 32]]")],
        "data": ["few examples"],
    },
    "mnist_swwae.py": _DIGITS,
    "mnist_transfer_cnn.py": _DIGITS,
    "neural_doodle.py": {
        "edits": [(r"include_top=False", "include_top=False, weights=None"),
                  (r"num_iterations = 50", "num_iterations = 1"),
                  (r"maxfun=20", "maxfun=2")],
        "data": ["a photograph"],
        "tasks": [Task("--nlabels 2 --style-image photograph.jpg --style-mask mask.png "
                       "--target-mask mask.png --target-image-prefix doodle".split())],
    },
    "neural_style_transfer.py": {
        "edits": [_UNTRAINED, (r"img_nrows = 400", "img_nrows = 48"), (r"maxfun=20", "maxfun=2")],
        "data": ["a photograph"],
        "tasks": [Task("photograph.jpg photograph.jpg styled --iter 1".split())],
    },
    "pretrained_word_embeddings.py": {
        "edits": [(r"BASE_DIR = ''", "BASE_DIR = '.'"), (r"epochs=10", "epochs=1")],
        "data": ["groups of news"],
    },
    "reuters_mlp.py": _DIGITS,
    "reuters_mlp_relu_vs_selu.py": _DIGITS,
    "variational_autoencoder.py": _DRAWN,
    "variational_autoencoder_deconv.py": {
        # As many ticks as names of them.
        **_DRAWN,
        "edits": [*_DRAWN["edits"], (r"= n \* digit_size \+", "= (n - 1) * digit_size +")],
    },
}  # fmt: skip

# What version 2.3 no longer has.
_OLDER_ROWS: Dict[str, Any] = {
    "cifar10_cnn_capsule.py": {
        "edits": [*_ONCE, (r"Conv2D\((64|128)", "Conv2D(16"), (r"\(-1, 128\)", "(-1, 16)")],
        "data": ["few examples"],
    },
    "cifar10_cnn_tfaugment2d.py": {"edits": [*_ONCE, (r"/tmp/saved_models", "saved")],
                                   "data": ["few examples"]},
    "mnist_dataset_api.py": {
        "edits": [*_ONCE, (r"60000", "320"), (r"tempfile\.gettempdir\(\)", "'.'")],
        "data": ["few examples"],
    },
    "mnist_tfrecord.py": {
        "edits": [*steps("epochs", 1), (r"read_data_sets\(cache_dir", "read_data_sets('digits'"),
                  (r"steps=100", "steps=2"),
                  (r"steps_per_epoch=int\(.*\)\)\)", "steps_per_epoch=3")],
    },
    "tensorboard_embeddings_mnist.py": _DIGITS,
}  # fmt: skip
_OLDER_ROWS = {
    path: {**options, "libraries": [("keras-team/keras@2.2.4", "keras")]}
    for path, options in _OLDER_ROWS.items()
}

KERAS_EXAMPLES: List[Program] = [
    *of("keras-team/keras", "examples", _ROWS),
    *of("keras-team/keras@2.2.4", "examples", _OLDER_ROWS),
]
