"""Programs of projects that have several models each."""

from __future__ import annotations

from typing import List

from libraries.shared import NUMBERS, one
from program import Edits, Program

# Arguments that newer versions of librosa take by name, and functions that are elsewhere.
_SOUND: Edits = [
    (r"librosa\.filters\.mel\(hparams\.sample_rate, hparams\.n_fft,",
     "librosa.filters.mel(sr=hparams.sample_rate, n_fft=hparams.n_fft,"),
    (r"\bnp\.(int|complex)\b", r"\1"),
    (r"^import (sounddevice as sd|pyaudio)$", ""),
    (r"^import inflect$", ""), (r"= inflect\.engine\(\)", "= "
     "__import__('types').SimpleNamespace(number_to_words=lambda number, **_: 'many')"),
]  # fmt: skip
_NARROW = (
    "tacotron_batch_size=4,tacotron_test_size=0.1,embedding_dim=8,enc_conv_channels=8,"
    "encoder_lstm_units=4,attention_dim=8,attention_filters=4,prenet_layers=[8,8],"
    "decoder_lstm_units=8,postnet_channels=8,cbhg_conv_channels=4,cbhg_projection=4,"
    "cbhg_highway_units=4,cbhg_rnn_units=4,max_iters=20,griffin_lim_iters=1,cbhg_kernels=2"
)
_BOARD = "--conv_width 4 --fc_width 8 --trunk_layers 1"
_WORKSHOP = "amygdala/tensorflow-workshop"
# TensorFlow 1.15 refuses datasets that are made outside of the graph, too.
_INSIDE: Edits = [
    (r"def input_train\(\):\n",
     "def input_train():\n    train = datasets_input.dataset()[0].map(to_thousands)\n"),
    (r"def input_test\(\):\n",
     "def input_test():\n    test = datasets_input.dataset()[1].map(to_thousands)\n"),
    (r"(tf\.)?contrib\.data\b", r"\1data"),
]  # fmt: skip

PROJECTS: List[Program] = [
    one("Rayhane-mamah/Tacotron-2", "train.py",
        f"--model Tacotron --hparams {_NARROW} --tacotron_train_steps 3 --summary_interval 2 "
        "--checkpoint_interval 2 --eval_interval 2 --embedding_interval 2",
        _SOUND, "spoken sentences", name="Rayhane-mamah/Tacotron", seconds=500,
        before=[["preprocess.py", "--n_jobs", "1", "--hparams", _NARROW]]),
    *(
        one(_WORKSHOP, f"workshop_sections/{path}.py", arguments, edits, data,
            name=f"amygdala/{path.rpartition('/')[2]}",
            tree=f"workshop_sections/{path.rpartition('/')[0]}", **options)
        for path, arguments, edits, data, options in (
            ("getting_started/starter_tf_graph/tf_matrix_mul_add", "", [], "", {}),
            ("getting_started/xor/xor/xor", "--num-steps 20", [NUMBERS], "", {}),
            ("getting_started/xor/xor/xor_summaries", "--num-steps 20 --output-dir out", [NUMBERS],
             "", {}),
            ("getting_started/xor/xor/xor_summaries_softmax",
             "--num-steps 20 --output-dir out", [NUMBERS], "", {}),
            ("linear_regressor_datasets/linear_regressor", "--model_dir out --num_steps 6",
             [(r"path = tf\.contrib\.keras\.utils\.get_file\(.*\)", "path = 'imports-85.data'"),
              *_INSIDE], "cars", {}),
            ("high_level_APIs/mnist_simple", "--data_dir {digits} --num_steps 20", [], "", {}),
            ("high_level_APIs/mnist_estimator",
             "--data_dir data/mnist --model_dir out --num_steps 4", [], "unpacked digits", {}),
            ("wide_n_deep/tf_train_and_evaluate/trainer/task",
             "--train-files adult.data.csv --eval-files adult.test.csv --job-dir out "
             "--train-steps 4 --eval-steps 2 --train-batch-size 8 --eval-batch-size 8",
             [(r"^import trainer\.model as model$|^from trainer import model$", "import model")],
             "incomes", {}),
        )
    ),
    one("tensorflow/minigo", "train.py",
        f"{_BOARD} --work_dir work --export_path models/000001 --steps_to_train 3 "
        "--train_batch_size 8 --summary_steps 2 games/game.tfrecord.zz",
        [(r"get\('BOARD_SIZE', 19\)", "get('BOARD_SIZE', 9)"),
         (r"\.tostring\(\)", ".tobytes()"),
         (r"^from google\.cloud.*$", ""),
         (r"^from tensorflow\.contrib import cloud.*$", ""),
         (r"'\{\}-\{\}'\.format\(int\(time\.time\(\)\), socket\.gethostname\(\)\)",
          "'game'")],
        before=[
            f"bootstrap.py {_BOARD} --work_dir work --export_path models/000000".split(),
            f"selfplay.py {_BOARD} --load_file models/000000 --selfplay_dir games --holdout_dir "
            "held --holdout_pct 0 --sgf_dir records --num_readouts 4 --max_game_length 20".split(),
        ]),
    *(
        one("tensorflow/magenta", "magenta/models/sketch_rnn/sketch_rnn_train.py",
            "--data_dir . --log_root out --hparams data_set=[sheep.npz],num_steps=3,save_every=2,"
            f"dec_rnn_size=8,enc_rnn_size=8,z_size=4,batch_size=4,num_mixture=2,{options}",
            [NUMBERS, (r"^import magenta\.\w+.*$", ""),  # which other models need
             # The class that tensor2tensor has from TensorFlow's contrib.
             (r"^from tensor2tensor\.utils\.hparam import HParams.*$",
              "from tensorflow.contrib.training import HParams")],
            "sketches", name=f"tensorflow/sketch_rnn_train, {kind}", imported_from=["."])
        for kind, options in (
            ("lstm", "dec_model=lstm,enc_model=lstm"),
            ("layer norm", "dec_model=layer_norm,enc_model=layer_norm"),
            ("hyper", "dec_model=hyper,enc_model=hyper"),
            ("unconditional", "conditional=False"),
        )
    ),
]  # fmt: skip
