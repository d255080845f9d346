"""More programs of tensorflow/models."""

from __future__ import annotations

from typing import Any, List

from libraries.shared import NUMBERS, one
from program import Edits, Program

_MODELS = "tensorflow/models"
_GAN = ("--dataset_dir=digits --train_log_dir=out --batch_size=4 --max_number_of_steps=3 "
        "--grid_size=2 --gan_type=")  # fmt: skip


def _of(path: str, arguments: str = "", edits: Edits = (), data: str = "", **more: Any) -> Program:
    """A program that runs in its folder, unless `tree` says another."""
    return one(_MODELS, path, arguments, edits, data, **{"tree": path.rpartition("/")[0], **more})


_CODES = [["entropy_coder/dataset/gen_synthetic_dataset.py", "--dataset_dir=codes",
           "--count=8"]]  # fmt: skip
_IRISES: Edits = [
    (r"train_path = tf\.keras\.utils\.get_file\(.*$", "train_path = 'iris_training.csv'"),
    (r"test_path = tf\.keras\.utils\.get_file\(.*$", "test_path = 'iris_test.csv'"),
]  # fmt: skip

GARDEN_PROGRAMS: List[Program] = [
    *(
        _of(f"samples/core/get_started/{kind}_estimator.py", "--train_steps 40", _IRISES, "irises")
        for kind in ("premade", "custom")
    ),
    *(
        _of("research/gan/mnist/train.py", _GAN + kind, data="digits of slim",
            edits=[(r"^from slim\.", "from research.slim.")],
            before=[["make_digits.py"]], libraries=[(_MODELS, "research/slim/")],
            imported_from=("research/slim",), name=f"{_MODELS}/gan/mnist/train, {kind}")
        for kind in ("unconditional", "conditional", "infogan")
    ),
    _of("research/real_nvp/real_nvp_multiscale_dataset.py",
        "--image_size 8 --hpconfig n_scale=2,base_dim=4,residual_blocks=1,batch_size=2 --dataset "
        "imnet --traindir out --logdir out --data_path scenes.tfrecords",
        [(r"while True:\n(                fetches = )", r"for _ in range(3):\n\1"),
         (r"min_after_dequeue=1000", "min_after_dequeue=2"),
         (r"log_device_placement=True", "log_device_placement=False"),
         (r"channels /= 4", "channels //= 4")],
        "small scenes", before=[["make_scenes.py"]], is_python_2=True),
    _of("research/swivel/swivel.py",
        "--input_base_path shards --output_base_path vectors --submatrix_rows 4 --submatrix_cols "
        "4 --dim 8 --num_epochs 2",
        [(r"= (len\(vocab\)|row_id|col_id) / ", r"= \1 // "),
         (r"open\(filename, 'w\+'\)", "open(filename, 'wb+')"),
         (r"open\(filename, 'w'\) as out", "open(filename, 'wb') as out")],
        "text", is_python_2=True,
        before=["prep.py --input text8 --output_dir shards --shard_size 4 --min_count 1".split()]),
    _of("research/resnet/resnet_main.py",
        "--train_data_path=cifar-10-batches-bin/data_batch* --log_root=log --train_dir=train "
        "--dataset=cifar10",
        [(r"while not mon_sess\.should_stop\(\):", "for _ in range(3):"),
         (r"batch_size = 128", "batch_size = 2"),
         (r"num_residual_units=5", "num_residual_units=1")],
        "binary pictures", is_python_2=True),
    _of("research/compression/entropy_coder/core/entropy_coder_train.py",
        "--task=0 --train_dir=out --model=progressive --model_config=entropy_coder/configs/"
        "synthetic/model_config.json --train_config=entropy_coder/configs/synthetic/"
        "train_config.json --input_config=entropy_coder/configs/synthetic/input_config.json",
        [(r"/tmp/dataset/synthetic_dataset", "codes/synthetic_dataset"),
         (r"while not sv\.ShouldStop\(\):", "for _ in range(3):"), NUMBERS],
        "folder of codes", tree="research/compression", imported_from=("entropy_coder/lib",),
        before=_CODES, is_python_2=True),
    _of("research/neural_gpu/neural_gpu_trainer.py",
        "--problem=badd --max_length 8 --nmaps 8 --vec_size 8 --train_data_size 10 "
        "--soft_mem_size 8 --batch_size 2 --steps_per_checkpoint 2 --data_dir . "
        "--train_dir out --nconvs 1",
        [(r"while not sv\.ShouldStop\(\):", "for _ in range(2):")], is_python_2=True),
    _of("research/deep_contextual_bandits/example_main.py", "--logdir logs",
        [(r"num_contexts = 2000", "num_contexts = 60"), (r"'mushroom'", "'linear'"),
         (r"\[0\.75, 0\.25\]|\[0\.25, 0\.75\]", "[1 / num_actions] * num_actions"),
         (r"training_epochs=\d+", "training_epochs=2"), (r"batch_size=512", "batch_size=16")]),
    _of("tutorials/rnn/quickdraw/train_model.py",
        "--training_data records/training.tfrecord-* --eval_data records/eval.tfrecord-* "
        "--classes_file records/training.tfrecord.classes --model_dir out --steps 4 --num_nodes 8 "
        "--num_layers 1 --num_conv [4,4] --conv_len [3,3] --batch_size 4", (),
        "drawings",
        before=["create_dataset.py --ndjson_path drawings --output_path records "
                "--train_observations_per_class 20 --eval_observations_per_class 8 "
                "--output_shards 2".split()]),
    _of("official/transformer/transformer_main.py",
        "--data_dir records --model_dir out --param_set tiny --train_steps 4 "
        "--steps_between_evals 4 --batch_size 256 --vocab_file records/vocab.txt",
        (), "translated records", tree=None, before=[["make_translations.py"]],
        libraries=[(_MODELS, f"official/{each}") for each in (
            "transformer/", "utils/", "__init__.py", "datasets/")]),
]  # fmt: skip
