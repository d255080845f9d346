"""NVIDIA's examples of models, each in one process on a processor without DALI."""

from __future__ import annotations

from typing import Any, List

from libraries.shared import NUMBERS, one
from program import Edits, Program

_EXAMPLES = "NVIDIA/DeepLearningExamples"


def _example(
    folder: str, path: str, arguments: str, edits: Edits = (), data: str = "", kind: str = "",
    **options: Any,
) -> Program:  # fmt: skip
    """A program of a folder of the examples, with one worker of Horovod and a log."""
    folder = f"TensorFlow/{folder}"
    ending = f", {kind}" if kind else ""
    model = folder.removesuffix("/tf").rpartition("/")[2]
    return one(
        _EXAMPLES, f"{folder}/{path}", arguments, edits, f"one worker, one process, log, {data}",
        name=f"NVIDIA/{model}/{path.removesuffix('.py')}{ending}",
        tree=folder, **options,
    )  # fmt: skip


_BERT: Edits = [
    # It asks cards which processors are near.
    (r"^from utils\.gpu_affinity import set_affinity$", "set_affinity = lambda rank: None"),
    # The speed without the first steps, of which there are no others here.
    (r"train_time_wo_overhead = (.*)$", r"train_time_wo_overhead = \1 + 1e-9"),
]
_SMALL = (
    "--vocab_file vocab.txt --bert_config_file bert_config.json --max_seq_length 32 "
    "--train_batch_size 4 --num_train_epochs 2 --output_dir out --dllog_path log.json "
    "--noamp --nouse_xla --optimizer_type adam --eval_batch_size 2 --predict_batch_size 2"
)
_WORDS = ["-m", "utils.create_pretraining_data", *(
    "--input_file text.txt --output_file records/text.tfrecord --vocab_file vocab.txt "
    "--max_seq_length 32 --max_predictions_per_seq 5 --dupe_factor 2").split()]  # fmt: skip
_CORPUS = (
    "data_utils.py --data_dir=data/ptb --dataset=ptb --tgt_len=6 --num_passes=1 --num_core_per_"
    "host=1 --train_batch_size=4 --valid_batch_size=4 --eval_batch_size=0"
).split()
_LANGUAGE = (
    "--data_dir=data/ptb/tfrecords --record_info_dir=data/ptb/tfrecords/ --corpus_info_path="
    "data/ptb/corpus-info.json --model_dir=out --n_layer=2 --d_model=16 --d_embed=16 --n_head=2 "
    "--d_head=8 --d_inner=32 --tgt_len=6 --mem_len=6 --train_batch_size=4 --eval_batch_size=4"
)

NVIDIA: List[Program] = [
    _example(
        "Segmentation/UNet_Medical", "main.py",
        "--exec_mode train_and_predict --model_dir out --data_dir slices --batch_size 1 "
        "--max_steps 2 --log_every 1 --augment --crossvalidation_idx 0",
        [NUMBERS, (r"\b572\b", "204"), (r"\b388\b", "20"), (r"filters=64\b", "filters=4"),
         (r"\[128, 256, 512\]", "[8, 8, 8]"), (r"\[512, 256, 128\]", "[8, 8, 8]"),
         (r"filters=1024", "filters=8")], "slices"),
    _example(
        "Segmentation/UNet_Industrial", "main.py",
        "--unet_variant tinyUNet --activation_fn relu --exec_mode train_and_evaluate "
        "--iter_unit batch --num_iter 3 --batch_size 2 --warmup_step 1 --results_dir out "
        "--data_dir surfaces --dataset_name DAGM2007 --dataset_classID 1 --data_format NHWC "
        "--weight_init_method he_uniform --display_every 1 --augment_data --loss_fn_name "
        "adaptive_loss",
        [(r"\b512\b", "64"), (r"\[32, 64, 128\]", "[4, 4, 4]"),
         (r"input_filters = 32", "input_filters = 4")], "surfaces"),
    *(
        _example(
            "Segmentation/UNet_3D_Medical", "main.py",
            f"--exec_mode {mode} --model_dir out --data_dir volumes --max_steps 2 --log_every 1 "
            f"--input_shape 32 32 32 --num_folds 3 --augment {arguments}",
            [(r"\b240, 240, 155\b", "48, 48, 40"), (r"\b224, 224, 155\b", "32, 32, 27"),
             (r"\b224, 224, 160\b", "32, 32, 32"), (r"out_channels=(32|64|128|256|320)",
                                                    "out_channels=4")],
            "volumes", kind, before=[["make_volumes.py"]], seconds=400)
        for kind, mode, arguments in (
            ("instance norm", "train_and_evaluate", ""),
            ("batch norm", "train_and_evaluate", "--normalization batchnorm --loss ce"),
        )
    ),
    _example(
        "Recommendation/VAE-CF", "main.py",
        "--train --test --epochs 2 --batch_size_train 8 --batch_size_validation 8 "
        "--validation_step 1 --data_dir . --checkpoint_dir saved",
        [(r"n_heldout_users = 10000", "n_heldout_users = 10"), (r"600, 200\]", "24, 8]"),
         (r"groupby\(id, as_index=False\)", "groupby(id)")],
        "ratings"),
    _example(
        "Recommendation/NCF", "ncf.py",
        "--data . --epochs 3 --batch-size 64 --valid-users-per-batch 16 --factors 8 "
        "--layers 16 8 --valid-negative 10 --eval-after 0 --seed 1 --checkpoint-dir saved",
        # What prepares the data on a card.
        [NUMBERS, (r"^import cupy as cp$", "import numpy as cp"),
         (r"cp\.cuda\.Device\(.*\)\.use\(\)", "pass"), (r"\.get\(\)", ""),
         (r"cp\.get_default_memory_pool\(\)\.free_all_blocks\(\)", "pass")], "ratings"),
    _example(
        "LanguageModeling/BERT", "run_classifier.py",
        f"--task_name CoLA --do_train --do_eval --do_predict --data_dir . {_SMALL}", _BERT,
        "sentences"),
    _example(
        "LanguageModeling/BERT", "run_squad.py",
        "--do_train --train_file questions.json --do_predict --predict_file questions.json "
        f"--doc_stride 8 --max_query_length 8 {_SMALL}", _BERT, "questions"),
    _example(
        "LanguageModeling/BERT", "run_ner.py",
        f"--task_name BC5CDR --do_train --do_eval --do_predict --data_dir . {_SMALL}", _BERT,
        "sentences, tagged words"),
    *(
        _example(
            "LanguageModeling/BERT", "run_pretraining.py",
            "--input_files_dir records --eval_files_dir records --bert_config_file "
            "bert_config.json --output_dir out --do_train --do_eval --train_batch_size 4 "
            "--eval_batch_size 4 --max_seq_length 32 --max_predictions_per_seq 5 "
            "--num_train_steps 4 --num_warmup_steps 1 --max_eval_steps 2 --dllog_path log.json "
            f"--noamp --nouse_xla {arguments}", _BERT, "sentences, folder of records", kind,
            before=[_WORDS])
        for kind, arguments in (
            ("adam", "--optimizer_type adam --horovod"),
            ("adam, accumulated", "--optimizer_type adam --num_accumulation_steps 2"),
        )
    ),
    _example(
        "LanguageModeling/Transformer-XL/tf", "main.py", f"{_LANGUAGE} --train_steps=6 "
        "--save_steps=3 --log_interval=2 --warmup_steps=2", (), "language", before=[_CORPUS]),
    _example(
        "LanguageModeling/Transformer-XL/tf", "main.py",
        f"{_LANGUAGE} --do_train=False --do_eval=True --max_eval_batch=20", (), "language",
        "evaluated", before=[_CORPUS, ["main.py", *_LANGUAGE.split(), "--train_steps=3",
                                       "--save_steps=3"]]),
    *(
        _example(
            "Classification/ConvNets", "main.py",
            f"--arch {kind} --mode {mode} --iter_unit batch --num_iter 3 --batch_size 2 --cpu "
            "--synthetic_data_size 32 --lr_init 0.1 --display_every 1 --warmup_steps 1 "
            f"--results_dir out {arguments}",
            # Without DALI.
            [(r"^(from nvidia import dali|import nvidia\.dali\.plugin\.tf as dali_tf)$", ""),
             (r"\(dali\.pipeline\.Pipeline\)", ""),
             (r"'layers': \[3, 4, \d+, 3\]", "'layers': [1, 1, 1, 1]"),
             (r"(\d+), (\d+), (\d+), (\d+)\],\n( +)'expansions'",
              r"4, 8, 16, 32],\n\5'expansions'"),
             (r"'cardinality': 32", "'cardinality': 2"),
             # Where TensorFlow has its initializers.
             (r"'tensorflow\.python\.ops\.init_ops'", "tf.zeros_initializer.__module__")], "", kind)
        for kind, mode, arguments in (
            ("resnet50", "training_benchmark", "--label_smoothing 0.1 --mixup 0.2 --cosine_lr"),
            ("resnext101-32x4d", "training_benchmark", ""),
            ("se-resnext101-32x4d", "training_benchmark", "--weight_decay 1e-4"),
        )
    ),
    _example(
        "Translation/GNMT", "nmt.py",
        "--src vi --tgt en --data_dir . --vocab_prefix vocab --train_prefix train --test_prefix "
        "test --output_dir out --batch_size 16 --num_units 16 --max_train_epochs 1 --num_buckets 1 "
        "--share_vocab false --num_gpus 1 --amp false --use_xla false --mode train_and_eval "
        "--log_step_count_steps 2 --infer_batch_size 8 --beam_width 2",
        [(r"collections\.Sequence", "__import__('collections.abc').abc.Sequence"),
         (r"np\.Inf\b", "np.inf"),
         # What another program measures of the text.
         (r"score = get_sacrebleu\(.*\)", "score = 0.0")],
        "translations"),
]  # fmt: skip
