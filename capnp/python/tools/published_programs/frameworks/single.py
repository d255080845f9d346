"""Programs of repositories that have one model each."""

from __future__ import annotations

from typing import List

from libraries.shared import NUMBERS, one
from program import Edits, Program

_FACTORS: Edits = [
    # Names that TensorFlow has since its version 1.
    (r"\btf\.sub\(", "tf.subtract("), (r"\bweight=1\.0", "weights=1.0"),
    (r"self\.lambda_bilinear", "self.lamda_bilinear"), (r"\.\./pretrain", "pretrain"),
]  # fmt: skip
_SMALL = "--dataset small --epoch 2 --batch_size 16 --hidden_factor 8"
# The reader of pictures that style transfer has today.
_READER: Edits = [
    (r"^import imageio$", ""), (r", pilmode='RGB'", ""),
    (r"imageio\.imread\((\w+)\)", r"np.array(Image.open(\1).convert('RGB'))"),
    (r"imageio\.imwrite\((\w+), (\w+)\)", r"Image.fromarray(\2).save(\1)"),
    (r"\b256\b", "32"), (r"^from moviepy.*$", ""), (r"^import moviepy.*$", ""),
]  # fmt: skip

SINGLE: List[Program] = [
    *(
        one("hexiangnan/neural_factorization_machine", f"{path}.py",
            f"{_SMALL} {arguments}", _FACTORS,
            "factors", name=f"hexiangnan/{path}, {kind}", is_python_2=True)
        for path, kind, arguments in (
            ("NeuralFM", "square loss", "--layers [8] --keep_prob [0.8,0.5]"),
            ("NeuralFM", "logarithmic loss",
             "--layers [8,4] --keep_prob [0.8,0.5,0.5] --loss_type log_loss "
             "--optimizer MomentumOptimizer"),
            ("FM", "square loss", ""),
        )
    ),
    one("hexiangnan/neural_factorization_machine", "NeuralFM.py",
        f"{_SMALL} --layers [8] --keep_prob [0.8,0.5] --pretrain 1", _FACTORS, "factors",
        name="hexiangnan/NeuralFM, of a trained FM", is_python_2=True,
        before=[["FM.py", *_SMALL.split()]]),
    *(
        one("carpedm20/deep-rl-tensorflow", "main.py",
            "--env_name Breakout-v0 --nouse_gpu --scale 20 --memory_size 10 --t_train_max 6 "
            f"--t_test 1 --t_learn_start 2 --batch_size 4 {arguments}",
            [NUMBERS, (r"imresize\(y, self\.observation_dims\)",
                       "imresize(y, tuple(self.observation_dims))"),
             (r"^from \.corridor import CorridorEnv$", "")],
            "environments", name=f"carpedm20/deep-rl, {kind}")
        for kind, arguments in (
            ("nips", "--network_header_type nips"),
            ("double dueling nature",
             "--network_header_type nature --double_q --network_output_type dueling"),
        )
    ),
    one("lengstrom/fast-style-transfer", "style.py",
        "--checkpoint-dir saved --style photographs/0.jpg --train-path photographs/JPEGImages "
        "--test photographs/1.jpg --test-dir saved "
        "--vgg-path vgg.mat --batch-size 2 --epochs 1 --checkpoint-iterations 2",
        _READER,
        "photographs, narrow network"),
    one("amirbar/rnn.wgan", "curriculum_training.py",
        "--DATA_DIR words --START_SEQ 1 --END_SEQ 4 --ITERATIONS_PER_SEQ_LENGTH 2 --BATCH_SIZE 4 "
        "--CRITIC_ITERS 2 --GEN_ITERS 2 --DISC_STATE_SIZE 8 --GEN_STATE_SIZE 8",
        [(r"iteration % 100 == 99", "iteration % 2 == 1"),
         (r"zip\(samples, scores\)", "zip(samples, __import__('numpy').ravel(scores))")],
        "shuffled news", is_python_2=True),
]  # fmt: skip
