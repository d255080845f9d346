"""Models that translate, of NVIDIA and of libraries for sequences."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

_REVERSALS = "example_configs/text2text/toy-reversal/nmt-reversal-{}.py"
_TOY: Edits = [
    # What only reads sounds.
    (r"^import resampy as rs$", "rs = None"),
    # What Python has moved, and NLTK has removed.
    (r"\bcollections\.(Mapping|Sequence|Iterable)\b", r"__import__('collections.abc').abc.\1"),
    (r",? *emulate_multibleu=True", ""),
    (r'"max_steps": \d+', '"max_steps": 4'), (r'"num_epochs": \d+', '"num_epochs": 1'),
    (r'_steps": \d+', '_steps": 2'), (r'"batch_size_per_gpu": \d+', '"batch_size_per_gpu": 8'),
    (r"\b(128|512|256)\b", "16"),
]  # fmt: skip

_T2T: Edits = [
    (r"^from tensorboard\.backend\.event_processing import event_(\w+)$", r"event_\1 = None"),
    (r"^from (googleapiclient import discovery|oauth2client.client import \w+)$", ""),
    (r"inspect\.getargspec\((\w+)\)", r"inspect.getfullargspec(\1)[:4]"),
]  # fmt: skip

TRANSLATIONS: List[Program] = [
    *(
        one("tensorflow/tensor2tensor", "tensor2tensor/bin/t2t_trainer.py",
            "--generate_data --problem=algorithmic_identity_binary40 --data_dir=data "
            f"--tmp_dir=tmp --output_dir=out --model={model} --hparams_set={hparams} "
            "--train_steps=3 --eval_steps=1 --hparams=batch_size=64,hidden_size=16"
            f"{more}", _T2T, "environments", is_module=True, seconds=400,
            name=f"tensorflow/t2t_trainer, {hparams}")
        for model, hparams, more in (
            ("lstm_seq2seq", "lstm_seq2seq", ""),
            ("lstm_seq2seq_attention", "lstm_attention", ""),
            ("lstm_seq2seq_attention_bidirectional_encoder", "lstm_luong_attention_multi",
             ",attention_layer_size=16,num_heads=2"),
            ("byte_net", "bytenet_base", ",num_hidden_layers=2"),
            ("universal_transformer", "universal_transformer_tiny", ",filter_size=16,num_heads=2"),
            ("universal_transformer", "adaptive_universal_transformer_tiny",
             ",filter_size=16,num_heads=2"),
        )
    ),
    *(
        one("NVIDIA/OpenSeq2Seq", "run.py",
            f"--config_file={_REVERSALS.format(kind)} --mode=train_eval --logdir=logs", _TOY,
            name=f"NVIDIA/OpenSeq2Seq, {kind}",
            before=["-m open_seq2seq.test_utils.create_reversed_examples".split()])
        for kind in ("RR", "CC", "CR", "RC", "TT")
    ),
]  # fmt: skip
