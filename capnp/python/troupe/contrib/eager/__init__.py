"""What programs for both modes take from here in graph mode; there is no eager execution."""

from typing import TYPE_CHECKING

from troupe._src.api.missing import missing_names as _missing_names
from troupe._src.api.source_names import resource_variable as Variable
from troupe._src.api.v2_compat import executing_eagerly
from troupe._src.api.v2_compat import executing_eagerly as in_eager_mode
from troupe._src.functions.traced import function
from troupe._src.functions.traced import function as defun
from troupe._src.graph.tensor_spec import TensorSpec
from troupe._src.immediate.py_function import py_function as py_func
from troupe._src.module_scopes.checkpointable import Checkpointable
from troupe._src.tape.gradient_tape import GradientTape
from troupe._src.testing.test_util import (
    run_all_in_graph_and_eager_modes as run_all_tests_in_graph_and_eager_modes,
)
from troupe._src.testing.test_util import (
    run_in_graph_and_eager_modes as run_test_in_graph_and_eager_modes,
)
from troupe._src.train.custom_gradient import custom_gradient
from troupe._src.variables.template import make_template

if not TYPE_CHECKING:
    __getattr__, __dir__ = _missing_names(__name__)

__all__ = [
    "Checkpointable",
    "GradientTape",
    "TensorSpec",
    "Variable",
    "custom_gradient",
    "defun",
    "executing_eagerly",
    "function",
    "in_eager_mode",
    "make_template",
    "py_func",
    "run_all_tests_in_graph_and_eager_modes",
    "run_test_in_graph_and_eager_modes",
]
