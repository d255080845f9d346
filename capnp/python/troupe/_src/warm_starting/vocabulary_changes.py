"""Rows, or columns, of a checkpoint for another vocabulary: `VocabInfo`."""

from __future__ import annotations

from typing import Any, NamedTuple

from troupe._src.set_module import set_module


class _Fields(NamedTuple):
    new_vocab: str
    new_vocab_size: int
    num_oov_buckets: int
    old_vocab: str
    old_vocab_size: int
    backup_initializer: Any
    axis: int


@set_module("troupe.train")
class VocabInfo(_Fields):
    """The vocabularies of a variable, now and in the checkpoint with whose values it begins.

    Args:
        new_vocab: The file of the vocabulary, a word in each line.
        new_vocab_size: How many of its words count.
        num_oov_buckets: How many rows follow for other words.
        old_vocab: The file of the checkpoint's vocabulary.
        old_vocab_size: How many of its words count; -1 for all.
        backup_initializer: Gives the values of new words, by default zeros.
        axis: The axis of words: 0 for rows, 1 for columns.

    Raises:
        ValueError: There is no such axis.
    """

    __slots__ = ()

    def __new__(
        cls,
        new_vocab: str,
        new_vocab_size: int,
        num_oov_buckets: int,
        old_vocab: str,
        old_vocab_size: int = -1,
        backup_initializer: Any = None,
        axis: int = 0,
    ) -> VocabInfo:
        if axis not in (0, 1):
            raise ValueError("The only supported values for the axis argument are 0 and 1.")
        return super().__new__(
            cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size,
            backup_initializer, axis,
        )  # fmt: skip
