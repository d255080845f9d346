"""Numbers for the words of documents."""

from __future__ import annotations

import pickle
import re
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import numpy as np

from troupe._src.platform.gfile import GFile
from troupe._src.set_module import set_module

# Words with inner apostrophes and hyphens; words written together as in CamelCase are apart.
_TOKENS = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|[\'\w\-]+")


def tokenizer(iterator: Iterable[str]) -> Iterator[List[str]]:
    """The words of each text.

    Args:
        iterator: Texts.

    Returns:
        An iterator of lists of words, one for each text.
    """
    for value in iterator:
        yield _TOKENS.findall(value)


@set_module("troupe.contrib.learn.preprocessing")
class CategoricalVocabulary:
    """Numbers for categories, such as words, in the order in which they come; 0 for unknown ones.

    Args:
        unknown_token: The category of unknown ones.
        support_reverse: Whether `reverse` is needed.
    """

    def __init__(self, unknown_token: str = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token, self._support_reverse = unknown_token, support_reverse
        self._mapping: Dict[Any, int] = {unknown_token: 0}
        self._reverse_mapping: List[Any] = [unknown_token]
        self._freq: Dict[Any, int] = {}
        self._freeze = False

    def __len__(self) -> int:
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Ends the learning: from then on new categories are unknown.

        Args:
            freeze: False to go on with it.
        """
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """The number of a category, which a new one gets.

        Args:
            category: A text or a number.

        Returns:
            The number; 0 for a new one when the learning has ended.
        """
        if category not in self._mapping:
            if self._freeze:
                return 0
            self._mapping[category] = len(self._mapping)
            self._reverse_mapping.append(category)
        return self._mapping[category]

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category, which gets a number if it is new.

        Args:
            category: A text or a number.
            count: How often it has come.
        """
        if self.get(category) > 0:
            self._freq[category] = self._freq.get(category, 0) + count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Forgets rare categories; the others get new numbers, the most frequent one 1.

        Args:
            min_frequency: Those that have come more often than that are kept.
            max_frequency: Those that have come as often or more are forgotten, too, if it is
                positive.
        """
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        kept = [
            item
            for item in sorted(by_name, key=lambda item: -item[1])
            if item[1] > min_frequency and (max_frequency <= 0 or item[1] < max_frequency)
        ]
        self._reverse_mapping = [self._unknown_token, *(category for category, _ in kept)]
        self._mapping = {category: at for at, category in enumerate(self._reverse_mapping)}
        self._freq = dict(kept)

    def reverse(self, class_id: int) -> Any:
        """The category of a number.

        Args:
            class_id: The number.

        Returns:
            The category.

        Raises:
            ValueError: The vocabulary was made without that.
            IndexError: There is no such number.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]


@set_module("troupe.contrib.learn.preprocessing")
class VocabularyProcessor:
    """Makes rows of numbers from documents, each number that of a word.

    Args:
        max_document_length: The length of a row: the words behind it are left out, and shorter
            documents have zeros behind.
        min_frequency: Words that come more often than that are known.
        vocabulary: A CategoricalVocabulary, by default a new one.
        tokenizer_fn: Gives the words of each of the texts of an iterable, by default `tokenizer`.
    """

    def __init__(
        self, max_document_length: int, min_frequency: int = 0,
        vocabulary: Optional[CategoricalVocabulary] = None,
        tokenizer_fn: Optional[Callable[[Any], Iterable[Any]]] = None,
    ) -> None:  # fmt: skip
        self.max_document_length, self.min_frequency = max_document_length, min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[Any], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words, and ends the learning.

        Args:
            raw_documents: Texts.
            unused_y: Has no effect.

        Returns:
            This object.
        """
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Any, unused_y: Any = None) -> Iterator[Any]:
        """Learns the words, and makes the rows.

        Args:
            raw_documents: Texts, which can be gone through twice.
            unused_y: Has no effect.

        Returns:
            An iterator of the rows.
        """
        return self.fit(raw_documents).transform(raw_documents)

    def transform(self, raw_documents: Iterable[Any]) -> Iterator[Any]:
        """Makes the rows.

        Args:
            raw_documents: Texts.

        Returns:
            An iterator of arrays of int64, [max_document_length].
        """
        for tokens in self._tokenizer(raw_documents):
            row = np.zeros(self.max_document_length, np.int64)
            for at, token in enumerate(tokens[: self.max_document_length]):
                row[at] = self.vocabulary_.get(token)
            yield row

    def reverse(self, documents: Iterable[Any]) -> Iterator[str]:
        """Makes texts from rows.

        Args:
            documents: The rows.

        Returns:
            An iterator of the words of each row, with a space between them.
        """
        for row in documents:
            yield " ".join(self.vocabulary_.reverse(class_id) for class_id in row)

    def save(self, filename: str) -> None:
        """Writes this object into a file, by Python's pickle.

        Args:
            filename: Its path.
        """
        with GFile(filename, "wb") as file:
            file.write(pickle.dumps(self))

    @classmethod
    def restore(cls, filename: str) -> VocabularyProcessor:
        """Reads what `save` wrote; only from a file that can be trusted, as a pickle is a program.

        Args:
            filename: Its path.

        Returns:
            The object.
        """
        with GFile(filename, "rb") as file:
            restored: VocabularyProcessor = pickle.loads(file.read())
        return restored
