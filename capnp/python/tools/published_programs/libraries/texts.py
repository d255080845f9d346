"""Models of texts, made of the modules of Texar."""

from __future__ import annotations

from typing import List

from libraries.shared import one
from program import Edits, Program

_TEXAR = "asyml/texar"
# Classes that Python has moved, and a score whose program is written in Perl.
_NEWER: Edits = [
    (r"\bcollections\.(Mapping|Sequence|Iterable)\b", r"__import__('collections.abc').abc.\1"),
    (r"tx\.evals\.corpus_bleu_moses\(refs, hyps\)",
     "tx.evals.corpus_bleu(refs, hyps, return_all=False)"),
    (r"tx\.evals\.corpus_bleu_moses\(", "tx.evals.corpus_bleu(return_all=False, "),
    (r"tx\.evals\.sentence_bleu_moses\(", "tx.evals.sentence_bleu("),
    (r"return np\.array\(str_list\)$", "return np.array(str_list, dtype=object)"),
]  # fmt: skip
_SMALL: Edits = [(r"^num_units = 256", "num_units = 16"), (r"^beam_width = 10", "beam_width = 2"),
                 (r"^num_epochs = 4", "num_epochs = 1")]  # fmt: skip
_COPY = "--config_model config_model --config_data config_toy_copy"
_FEW_WORDS = (r"^ *assert len\(word_to_id\) == 10000$", "")
_PTB: Edits = [
    (r"\./simple-examples/data/|ptb_data/", "data/ptb/"), (r"^num_epochs = \d+", "num_epochs = 1"),
    (r"^hidden_size = \d+", "hidden_size = 16"), (r"^embed_dim = \d+", "embed_dim = 16"),
    (r"^batch_size = \d+", "batch_size = 8"), (r"_epoch = \d+$", "_epoch = 1"),
]  # fmt: skip


def _texar(path: str, arguments: str = "", edits: Edits = (), data: str = "", name: str = "") -> (
    Program
):  # fmt: skip
    return one(_TEXAR, f"examples/{path}.py", arguments, [*_NEWER, *edits], data, name)


TEXTS: List[Program] = [
    _texar("seq2seq_attn/seq2seq_attn", _COPY, _SMALL, "copied sentences"),
    _texar("seq2seq_rl/seq2seq_attn_pg", _COPY,
           [(r"^num_units = 256", "num_units = 16"), (r"'num_epochs': 10", "'num_epochs': 1"),
            (r"^(display|display_eval) = \d+", r"\1 = 4")], "copied sentences"),
    _texar("sentence_classifier/clas_main", "",
           [(r"^num_epochs = 15", "num_epochs = 2"), (r'"dim": 300', '"dim": 16')], "sentiments"),
    _texar("text_style_transfer/main", "",
           [(r"\b(700|500|200|100|128)\b", "16"), (r"^max_nepochs = 12", "max_nepochs = 2"),
            (r"^pretrain_nepochs = 10", "pretrain_nepochs = 1"),
            (r"^display = \d+", "display = 4")], "sentiments"),
    _texar("vae_text/vae_train", "--config config_lstm_ptb", _PTB, "language, words of ptb"),
    _texar("vae_text/vae_train", "--config config_trans_ptb", _PTB, "language, words of ptb",
           f"{_TEXAR}/vae_train, transformer"),
    _texar("seqgan/seqgan_train", "--config config_ptb_small",
           [*_PTB, (r"isinstance\(bleu_test, np\.ndarray\)", "isinstance(bleu_test, list)")],
           "language, words of ptb, folder of seqgan"),
    _texar("language_model_ptb/lm_ptb", "--data_path data/ptb", [*_PTB, _FEW_WORDS], "language"),
    _texar("memory_network_lm/lm_ptb_memnet", "--data_path data/ptb",
           [*_PTB, _FEW_WORDS, (r"^dim = 150", "dim = 16"), (r"^n_hops = 7", "n_hops = 2"),
            (r"^memory_size = 200", "memory_size = 10")], "language"),
]  # fmt: skip
