"""The functions of `tensorflow.python.keras.backend` that Keras 2.3 calls."""

from troupe._src.keras.functions import Function, function
from troupe._src.keras.losses import (
    binary_crossentropy,
    categorical_crossentropy,
    hard_sigmoid,
    sparse_categorical_crossentropy,
)
from troupe._src.keras.recurrent import rnn
from troupe._src.keras.sessions import (
    batch_get_value,
    batch_set_value,
    clear_session,
    get_session,
    get_value,
    learning_phase,
    manual_variable_initialization,
    set_learning_phase,
    set_session,
    set_value,
)
from troupe._src.keras.settings import (
    cast_to_floatx,
    epsilon,
    floatx,
    get_graph,
    get_uid,
    image_data_format,
    reset_uids,
    set_epsilon,
    set_floatx,
    set_image_data_format,
)
from troupe._src.keras.values import (
    constant,
    placeholder,
    random_binomial,
    random_normal,
    random_uniform,
    truncated_normal,
    variable,
)

__all__ = [
    "Function", "batch_get_value", "batch_set_value", "binary_crossentropy", "cast_to_floatx",
    "categorical_crossentropy", "clear_session", "constant", "epsilon", "floatx", "function",
    "get_graph", "get_session", "get_uid", "get_value", "hard_sigmoid", "image_data_format",
    "learning_phase", "manual_variable_initialization", "placeholder", "random_binomial",
    "random_normal", "random_uniform", "reset_uids", "rnn", "set_epsilon", "set_floatx",
    "set_image_data_format", "set_learning_phase", "set_session", "set_value",
    "sparse_categorical_crossentropy", "truncated_normal", "variable",
]  # fmt: skip
