"""Numbers for the words of documents."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.learn.vocabularies import CategoricalVocabulary, VocabularyProcessor, tokenizer

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = ["CategoricalVocabulary", "VocabularyProcessor", "tokenizer"]
