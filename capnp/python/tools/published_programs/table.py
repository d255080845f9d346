"""Programs that others have published for TensorFlow 1, and what is changed in them.

The changes are numbers of steps, so that a program ends soon, and names of files, ports and
hosts. Fixed ports of localhost, the folder of MNIST's digits and the syntax of Python 2 are
changed in all of them.
"""

from __future__ import annotations

from typing import List

from frameworks.all_programs import FRAMEWORKS
from further import FURTHER
from garden import GARDEN
from libraries.all_programs import LIBRARIES
from papers import PAPERS
from program import Program, Task, cluster, loop, of, steps
from research import RESEARCH
from various import VARIOUS

# An argument that newer versions of NumPy have renamed.
_NUMPY = (r"newshape=", "shape=")
_BUTTON = (r"plt\.waitforbuttonpress\(\)", "pass")
_NAPS = (r"time\.sleep\(\d+\)", "time.sleep(1)")
# The task with the variables, which are on no parameter server.
_CHIEF_ENDS_LAST = [(r"range\(1000\)", "range(200 - 150 * FLAGS.task_index)")]
_THREE = {"tasks": cluster("ps 0", "worker 0", "worker 1")}

AYMERIC = of("aymericdamien/TensorFlow-Examples", "tensorflow_v1/examples", {
    "1_Introduction/basic_operations.py": (),
    "2_BasicModels/linear_regression.py": steps("training_epochs", 60),
    "2_BasicModels/logistic_regression.py": steps("training_epochs", 2),
    "2_BasicModels/nearest_neighbor.py": [(r"range\(len\(Xte\)\)", "range(20)")],
    "2_BasicModels/word2vec.py": {
        "edits": [
            *steps("num_steps", 20), *steps("min_occurrence", 2), *steps("eval_step", 10),
            *steps("num_sampled", 4), (r"xrange", "range"),
            (r"\.lower\(\)\.split\(\)", ".lower().decode().split()"),
        ],
        "data": ["zipped text"],
    },
    "2_BasicModels/kmeans.py": steps("num_steps", 5),
    "3_NeuralNetworks/autoencoder.py": steps("num_steps", 20),
    "3_NeuralNetworks/bidirectional_rnn.py": steps("training_steps", 10),
    "3_NeuralNetworks/convolutional_network.py": steps("num_steps", 10),
    "3_NeuralNetworks/convolutional_network_raw.py": steps("num_steps", 10),
    "3_NeuralNetworks/dcgan.py": [*steps("num_steps", 3), _NUMPY, _BUTTON],
    "3_NeuralNetworks/dynamic_rnn.py": steps("training_steps", 10),
    "3_NeuralNetworks/gan.py": [*steps("num_steps", 20), _NUMPY, _BUTTON],
    "3_NeuralNetworks/multilayer_perceptron.py": steps("training_epochs", 2),
    "3_NeuralNetworks/neural_network.py": steps("num_steps", 20),
    "3_NeuralNetworks/neural_network_raw.py": steps("num_steps", 20),
    "3_NeuralNetworks/recurrent_network.py": steps("training_steps", 10),
    "3_NeuralNetworks/variational_autoencoder.py": steps("num_steps", 20),
    "4_Utils/save_restore_model.py": [(r"/tmp/model.ckpt", "model.ckpt")],
    "4_Utils/tensorboard_advanced.py": [
        *steps("training_epochs", 2), (r"'/tmp/tensorflow_logs/example/'", "'logs'"),
    ],
    "4_Utils/tensorboard_basic.py": [
        *steps("training_epochs", 2), (r"'/tmp/tensorflow_logs/example/'", "'logs'"),
    ],
    "5_DataManagement/tensorflow_dataset_api.py": steps("num_steps", 20),
    "6_MultiGPU/multigpu_cnn.py": [
        *steps("num_steps", 4), *steps("batch_size", 32),
        (r"'/gpu:\{\}'\.format\(i\)", "'/cpu:0'"),
    ],
})  # fmt: skip

GUIDE = of("tmulc18/Distributed-TensorFlow-Guide", "", {
    "Distributed-Setup/dist_setup.py": {
        "edits": [(r"range\(1000\)", "range(100)")], "tasks": cluster("ps 0", "worker 0"),
    },
    "Distributed-Setup/dist_setup_sup.py": {
        "edits": [(r"range\(1000\)", "range(100)")], "tasks": cluster("ps 0", "worker 0"),
    },
    "Hogwild/Hogwild.py": {"edits": _CHIEF_ENDS_LAST, **_THREE},
    "DOWNPOUR/DOWNPOUR.py": {"edits": [_NAPS], **_THREE},
    "DOWNPOUR-Easy/DOWNPOUR.py": {"edits": [_NAPS], **_THREE},
    "AGN/AGN.py": {"edits": [_NAPS], **_THREE},
    "SAGN/SAGN.py": {"edits": [_NAPS], **_THREE},
    "Synchronous-SGD/ssgd.py": {"edits": [_NAPS], **_THREE},
    "Synchronous-SGD-different-learning-rates/ssgd.py": {"edits": [_NAPS], **_THREE},
})  # fmt: skip

_PS_AND_WORKERS = [
    (r"pc-01:2222", "localhost:2222"), (r"pc-02:2222", "localhost:2223"),
    (r"pc-03:2222", "localhost:2224"), (r"pc-04:2222", "localhost:2225"),
]  # fmt: skip

_TF_CONFIG = (
    '{"cluster": {"ps": ["localhost:2222"], "worker": ["localhost:2223", "localhost:2224"]}, '
    '"task": {"type": "%s", "index": %d}}'
)

CLUSTERS = [
    *of("ischlag/distributed-tensorflow-example", "", {
        "example.py": {
            "edits": [
                *_PS_AND_WORKERS, (r"training_epochs = 20", "training_epochs = 2"),
                (r"/tmp/mnist/1", "logs"),
            ],
            "tasks": cluster("ps 0", "worker 0", "worker 1", "worker 2"),
        },
    }),
    *of("kubeflow/tf-operator", "examples/v1", {
        "dist-mnist/dist_mnist.py": {
            "tasks": [
                Task(
                    ["--data_dir", "{digits}", "--train_steps", "60", "--num_gpus", "0"],
                    {"TF_CONFIG": _TF_CONFIG % (job, index)}, ends=job != "ps",
                )
                for job, index in (("ps", 0), ("worker", 0), ("worker", 1))
            ],
        },
        "mnist_with_summaries/mnist_with_summaries.py": {
            "tasks": [Task(
                ["--max_steps", "30", "--data_dir", "{digits}", "--log_dir", "logs"]
            )],
        },
    }),
    Program(
        "kubeflow/dist_mnist, synchronous", "kubeflow/tf-operator",
        "examples/v1/dist-mnist/dist_mnist.py",
        tasks=[
            Task(
                ["--data_dir", "{digits}", "--train_steps", "40", "--num_gpus", "0",
                 "--sync_replicas"],
                {"TF_CONFIG": _TF_CONFIG % (job, index)}, ends=job != "ps",
            )
            for job, index in (("ps", 0), ("worker", 0), ("worker", 1))
        ],
    ),
]  # fmt: skip

MORVAN = of("MorvanZhou/Tensorflow-Tutorial", "tutorial-contents", {
    "301_simple_regression.py": (),
    "302_simple_classification.py": (),
    "303_save_reload.py": (),
    "304_optimizer.py": loop(300, 30),
    "305_tensorboard.py": (),
    "306_dataset.py": loop(201, 30),
    "401_CNN.py": [*loop(600, 10), (r"n_iter=", "max_iter=")],
    "402_RNN_classification.py": loop(1200, 10),
    "403_RNN_regression.py": (),
    "404_AutoEncoder.py": loop(8000, 20),
    "406_GAN.py": loop(5000, 60),
    "406_conditional_GAN.py": loop(7000, 60),
    "501_dropout.py": loop(500, 50),
    "502_batch_normalization.py": steps("EPOCH", 2),
    "503_visualize_gradient_descent.py": loop(400, 40),
    "504_distributed_training.py": [
        (r"last_step=100000", "last_step=300"),
        # The parameter server never ends.
        (r"\[p\.join\(\) for p in ps\]", "[p.join() for p in ps[1:]]; ps[0].terminate()"),
    ],
})  # fmt: skip

NLINTZ = of("nlintz/TensorFlow-Tutorials", "", {
    "01_linear_regression.py": loop(100, 5),
    "02_logistic_regression.py": loop(100, 2),
    "04_modern_net.py": loop(100, 1),
    "05_convolutional_net.py": [
        *loop(100, 1), (r"range\(0, len\(trX\), batch_size\)", "range(0, 512, batch_size)"),
    ],
    "07_lstm.py": loop(100, 1),
    "08_word2vec.py": (),
    "09_tensorboard.py": loop(100, 2),
    "10_save_restore_net.py": [(r"range\(start, 100\)", "range(start, 2)")],
    "11_gan.py": loop(200, 4),
})  # fmt: skip

HUNKIM = of("hunkim/DeepLearningZeroToAll", "", {
    "lab-04-4-tf_reader_linear_regression.py": {"edits": loop(2001, 40), "data": ["scores"]},
    "lab-09-4-xor_tensorboard.py": loop(10001, 60),
    "lab-10-5-mnist_nn_dropout.py": steps("training_epochs", 2),
    "lab-11-5-mnist_cnn_ensemble_layers.py": steps("training_epochs", 1),
    "lab-12-2-char-seq-rnn.py": (),
    "lab-12-4-rnn_long_char.py": loop(500, 3),
    "lab-12-5-rnn_stock_prediction.py": {
        "edits": steps("iterations", 20), "data": ["stocks"],
    },
    "lab-13-2-mnist_tensorboard.py": steps("training_epochs", 2),
    "lab-13-3-mnist_save_restore.py": steps("training_epochs", 2),
})  # fmt: skip

_MNIST_FOLDER = [(r"utils\.download_mnist\(mnist_folder\)", "pass")]

STANFORD = [
    *of("chiphuyen/stanford-tensorflow-tutorials", "examples", {
        "03_linreg_dataset.py": {"companions": ["utils.py"], "data": ["lives"]},
        "03_logreg.py": {
            "edits": [*_MNIST_FOLDER, *steps("n_epochs", 2)],
            "companions": ["utils.py"], "data": ["unpacked digits"],
        },
        "05_variable_sharing.py": (),
        "07_convnet_layers.py": {
            "edits": [(r"n_epochs=15", "n_epochs=1"), (r"^import utils", "import utils\n"
                      "utils.download_mnist = lambda path: None")],
            "companions": ["utils.py"], "data": ["unpacked digits"],
        },
    }),
    *of("chiphuyen/stanford-tensorflow-tutorials", "2017/examples", {
        "09_queue_example.py": (),
        "05_csv_reader.py": {"data": ["hearts"]},
    }),
]  # fmt: skip

TEXTS = [
    *of("sherjilozair/char-rnn-tensorflow", "", {
        "train.py": {
            "tasks": [Task(["--num_epochs", "1", "--seq_length", "20", "--rnn_size", "32"])],
            "companions": ["model.py", "utils.py"], "data": ["text"],
        },
    }),
    *of("dennybritz/cnn-text-classification-tf", "", {
        "train.py": {
            "tasks": [Task(["--num_epochs", "2", "--evaluate_every", "4", "--checkpoint_every", "4",
                            "--num_filters", "8"])],
            # NumPy no longer makes arrays of rows of several lengths by itself.
            "edits": [(r"np\.array\(data\)", "np.array(data, dtype=object)")],
            "companions": ["data_helpers.py", "text_cnn.py"], "data": ["reviews"],
        },
    }),
]  # fmt: skip

_EXAMPLES = "tensorflow/examples"
# TensorFlow 1.15 refuses datasets that are made outside of the graph, too.
_CARS = [
    (r"^STEPS = \d+", "STEPS = 60"), (r"path = _get_imports85\(\)", "path = 'imports-85.data'"),
    *(
        (
            rf"def input_{part}\(\):",
            f"def input_{part}():\n    {part} = imports85.dataset()[{index}].map(\n"
            "        lambda features, labels: (features, labels / 1000))",
        )
        for index, part in enumerate(("train", "test"))
    ),
]  # fmt: skip

_WORDS = ["--wanted_words=yes,no", "--model_architecture=conv"]
_LEARN = [*_WORDS, "--data_url=", "--data_dir=words", "--how_many_training_steps=12,4",
          "--batch_size=16", "--eval_step_interval=8", "--save_step_interval=16",
          "--summaries_dir=logs", "--train_dir=trained"]  # fmt: skip

OWN = [
    *of("NVIDIA/tensorflow", _EXAMPLES, {
        "tutorials/mnist/fully_connected_feed.py": {
            "edits": [(r"from tensorflow.examples.tutorials.mnist import mnist", "import mnist")],
            "companions": ["mnist.py"],
            "tasks": [Task(["--max_steps", "120", "--input_data_dir", "{digits}", "--log_dir",
                            "logs"])],
        },
        "tutorials/mnist/mnist_with_summaries.py": {
            "tasks": [Task(["--max_steps", "30", "--data_dir", "{digits}", "--log_dir", "logs"])],
        },
        "tutorials/word2vec/word2vec_basic.py": {
            "edits": [
                (r"num_steps = 100001", "num_steps = 60"), (r"gettempdir\(\)", "'.'"),
                (r"vocabulary_size = 50000", "vocabulary_size = 11"),
                (r"num_sampled = 64", "num_sampled = 4"), (r"valid_size = 16", "valid_size = 4"),
                (r"valid_window = 100", "valid_window = 8"), (r"plot_only = 500", "plot_only = 11"),
                (r"perplexity=30", "perplexity=3"), (r"n_iter=", "max_iter="),
                (r"^    if statinfo\.st_size == expected_bytes:", "    if True:"),
                (r"if sha256 and", "if False and"),
            ],
            "data": ["zipped text"],
        },
        "get_started/regression/custom_regression.py": {
            "edits": _CARS,
            "companions": ["imports85.py"], "data": ["cars"],
        },
        "get_started/regression/dnn_regression.py": {
            "edits": _CARS,
            "companions": ["imports85.py"], "data": ["cars"],
        },
        "get_started/regression/linear_regression_categorical.py": {
            "edits": _CARS,
            "companions": ["imports85.py"], "data": ["cars"],
        },
        "speech_commands/train.py": {
            "companions": ["input_data.py", "models.py"], "data": ["words"],
            "tasks": [Task(_LEARN)],
        },
        "speech_commands/label_wav.py": {
            "companions": ["train.py", "freeze.py", "input_data.py", "models.py"],
            "data": ["words"],
            "before": [
                ["train.py", *_LEARN],
                ["freeze.py", *_WORDS, "--start_checkpoint=trained/conv.ckpt-16",
                 "--output_file=words.pb"],
            ],
            "tasks": [Task(["--graph=words.pb", "--labels=trained/conv_labels.txt",
                            "--wav=words/yes/00000001_nohash_1.wav"])],
        },
    }),
]  # fmt: skip

_SMALL = ["--vocab_file", "vocab.txt", "--bert_config_file", "bert_config.json",
          "--max_seq_length", "32", "--train_batch_size", "8", "--num_train_epochs", "5",
          "--output_dir", "out"]  # fmt: skip
_MODEL = ["modeling.py", "optimization.py", "tokenization.py"]

TRANSFORMERS = of("google-research/bert", "", {
    "create_pretraining_data.py": {
        "tasks": [Task(["--input_file", "text.txt", "--output_file", "text.tfrecord",
                        "--vocab_file", "vocab.txt", "--max_seq_length", "32"])],
        "companions": ["tokenization.py"], "data": ["sentences"],
    },
    "run_classifier.py": {
        "tasks": [Task(["--task_name", "CoLA", "--do_train", "--do_eval", "--do_predict",
                        "--data_dir", ".", *_SMALL])],
        "companions": _MODEL, "data": ["sentences"],
    },
    "run_squad.py": {
        "tasks": [Task(["--do_train", "--train_file", "questions.json", "--do_predict",
                        "--predict_file", "questions.json", "--doc_stride", "8",
                        "--max_query_length", "8", *_SMALL])],
        "companions": _MODEL, "data": ["questions"],
    },
})  # fmt: skip

PROGRAMS: List[Program] = [
    *AYMERIC, *GUIDE, *CLUSTERS, *MORVAN, *NLINTZ, *HUNKIM, *STANFORD, *TEXTS, *OWN, *TRANSFORMERS,
    *FURTHER, *RESEARCH, *VARIOUS, *GARDEN, *PAPERS, *LIBRARIES,
    *FRAMEWORKS,
]  # fmt: skip
