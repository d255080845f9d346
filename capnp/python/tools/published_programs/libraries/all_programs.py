"""All programs of this folder, and what makes their data."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict, List

from libraries import (
    garden_programs_data,
    graphs_data,
    keras_data,
    models_data,
    speech_data,
    texts_data,
)
from libraries.actors import ACTORS
from libraries.companions import COMPANIONS
from libraries.garden_programs import GARDEN_PROGRAMS
from libraries.graphs import GRAPHS
from libraries.keras_examples import KERAS_EXAMPLES
from libraries.keras_programs import KERAS_PROGRAMS
from libraries.models import MODELS
from libraries.parts_of_models import PARTS_OF_MODELS
from libraries.speech import SPEECH
from libraries.tests_of_libraries import TESTS
from libraries.texts import TEXTS
from libraries.translations import TRANSLATIONS
from program import Program

LIBRARIES: List[Program] = [
    *ACTORS, *COMPANIONS, *GARDEN_PROGRAMS, *GRAPHS, *KERAS_EXAMPLES, *KERAS_PROGRAMS, *MODELS,
    *PARTS_OF_MODELS, *SPEECH, *TESTS, *TEXTS, *TRANSLATIONS,
]  # fmt: skip

MAKERS: Dict[str, Callable[[pathlib.Path], None]] = {
    **garden_programs_data.MAKERS,
    **graphs_data.MAKERS,
    **keras_data.MAKERS,
    **models_data.MAKERS,
    **speech_data.MAKERS,
    **texts_data.MAKERS,
}
