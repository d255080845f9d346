"""The lines of the package `keras` that say otherwise than `tf.keras`, by module."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

_Rules = List[Tuple[str, str]]

_RULES: Dict[str, _Rules] = {
    "backend.load_backend": [
        # There is one backend, whatever the file and the variable of `import keras` say.
        (r"(?s)# Set Keras base dir path.*?(# Default backend: TensorFlow\.\n[^\n]*\n)", r"\1"),
        (r"(?s)# Attempt to read Keras config file\..*?(# Import backend functions\.)", r"\1"),
        (r"\bsys\.stderr\.write\('Using TensorFlow backend\.\\n'\)", "pass"),
    ],
    "backend.tensorflow_backend": [
        (
            r"\b(def variable\(value, dtype=None, name=None, constraint=None)\)",
            r"\1, trainable=True)",
        ),
        (
            r"\b(value, dtype=dtype, name=name, constraint=constraint)\)",
            r"\1, trainable=trainable)",
        ),
        (
            r"\b(tf_image_ops\.resize_bilinear\(x, new_shape)\)",
            r"\1, half_pixel_centers=True)",
        ),
    ],
    # Names are counted from the second on: dense, dense_1.
    "engine.base_layer": [
        # Averages are not among the variables that optimizers train by default.
        (
            r"(?<=name=name,\n)( +constraint=constraint)\)",
            r"\1, trainable=trainable)",
        ),
        # Layers of `tf.layers` and cells of `tf.nn.rnn_cell` are layers, too.
        (r"class Layer\(object\):", "class Layer(object, metaclass=K.LayerType):"),
        (
            r"_to_snake_case\(prefix\) \+ '_' \+ str\(K\.get_uid\(prefix\)\)",
            "K.unique_object_name(_to_snake_case(prefix), zero_based=True)",
        ),
        (
            r"\bdef add_metric\(self, value, name=None\)",
            "def add_metric(self, value, aggregation=None, name=None)",
        ),
        (r"(?m)^ +print\('tracking', value, name\)\n", ""),
        # Layers need not say which shapes they have.
        (
            r"(if not getattr\(self, '_is_graph_network', True\)):",
            r"\1 or (\n"
            "                    type(self).compute_output_shape is Layer.compute_output_shape):",
        ),
        # AutoGraph converts `call` where it needs it.
        (r"(output =) self\.call\((?=inputs, \*\*kwargs\))", r"\1 K.call(self.call, "),
        # The regularizers of outputs are means over the batch.
        (
            r"( +)self\.activity_regularizer\(x\)\n",
            r"\1self.activity_regularizer(x) / K.cast(K.shape(x)[0], K.dtype(x))\n",
        ),
    ],
    "engine.network": [
        # Layers of `tf.layers` have scopes, which their calls begin.
        (r"\blayer\.call\(comp", "getattr(layer, '_computed', layer.call)(comp"),
        (
            r"(if \(hasattr\(layer, 'activity_regularizer'\)) and",
            r"\1 and not hasattr(layer, '_computed') and",
        ),
        (
            r"\blayer\.compute_output_shape\((?=input_shapes\))",
            "K.shapes_of(output_tensors, layer, ",
        ),
        (
            r"\blayer\.compute_output_shape\((?=\s*unpack_singleton)",
            "K.shapes_of(node.output_tensors, layer, ",
        ),
        (r"\bx\._uses_learning_phase for", "getattr(x, '_uses_learning_phase', False) for"),
        (
            r"prefix = self\.__class__\.__name__\.lower\(\)\n( +)name = .*",
            "from .base_layer import _to_snake_case\n"
            r"\1name = K.unique_object_name(\n"
            r"\1    _to_snake_case(self.__class__.__name__), zero_based=True)",
        ),
        # Of an output that is no layer's, nobody knows: the phase can be fed always.
        (r"x\._uses_learning_phase for x in self\.outputs", "getattr(\n"
         "            x, '_uses_learning_phase', True) for x in self.outputs"),
        # A layer with several outputs names each.
        (
            r"self\.output_names\.append\(layer\.name\)",
            "self.output_names.append(K.unique_among(self.output_names, layer.name))",
        ),
    ],
    "layers.wrappers": [
        (r"\blayer\.__class__\.from_config\(config\)", "K.layer_again(layer, config)"),
        (
            r"\bself\.layer\.compute_output_shape\(child_input_shape\)",
            "K.as_tuples(self.layer.compute_output_shape(child_input_shape))",
        ),
    ],
    "layers.normalization": [
        (r"(?m)^ +if K\.backend\(\) != 'cntk':\n( +.*\n|\n)+?.*variance \*= .*\n", ""),
    ],
    "layers.recurrent": [
        (r"\b((?:self\.)?cell)\.state_size\b", r"K.state_sizes(\1)"),
        (r"K\.state_sizes\((self\.cells\[-1\])\)", r"\1.state_size"),
        (r"\b((?:self\.)?cell)\.call\(inputs, states", r"K.call_cell(\1, inputs, states"),
        (r"(?m)^( +)recurrent_activation='sigmoid',$", r"\1recurrent_activation='hard_sigmoid',"),
    ],
    # What a model calls while it is fitted has the model's name in front, as where it is called.
    "engine.training": [
        # Optimizers have scopes of their own.
        (r"with K\.name_scope\(self\.optimizer\.__class__\.__name__\):", "if True:"),
        (
            r"(?m)^( +)outputs = self\.call\((.*)$",
            r"\1with K.name_scope(self.name):\n\1    outputs = K.call(self.call, \2",
        ),
    ],
    # The names of metrics are those of their functions, and not what `compile` was told.
    "engine.training_utils": [
        # The weights of examples are 1 where nothing is fed, as in a step of an estimator.
        (r"\bweight = K\.placeholder\(", "weight = K.sample_weight_placeholder("),
        (
            r"(?s)    # We keep the string that the user has set.*?return metric\n\n"
            r"    metric = metrics_module\.get\(metric\)\n    return (.*?)\n\n",
            "    prefix = 'weighted_' if weighted else ''\n"
            "    if isinstance(metric, six.string_types):\n"
            "        if metric in ('accuracy', 'acc'):\n"
            "            return prefix + 'acc'\n"
            "        if metric in ('crossentropy', 'ce'):\n"
            "            return prefix + 'ce'\n"
            "    metric = metrics_module.get(metric)\n"
            r"    return prefix + (\1)" "\n\n",
        ),
    ],
    "engine.saving": [
        (r"\boptimizers\.TFOptimizer\b", "K.TFOptimizer"),
        # In files, a model inside of another has its trainable weights first.
        (r"(?<!\w)layer\.weights\b", "(layer.trainable_weights + layer.non_trainable_weights)"),
    ],
    # Updates of metrics need not be in lists.
    "utils.metrics_utils": [
        (
            r"(update_op = )(update_state_fn\(\*args, \*\*kwargs\))",
            r"\1\2\n        if not isinstance(update_op, (list, tuple)):"
            r"\n            \1[] if update_op is None else [update_op]",
        ),
    ],
    # Arguments may be positional, and are not those of Keras 1.
    "legacy.interfaces": [
        (r"\bcheck_positional_args = True\b", "check_positional_args = False"),
        (r"\bif preprocessor:", "if False:"),
    ],
    "losses": [(r"return - (K\.sum\(y_true \* y_pred, axis=axis\))", r"return \1")],
}


def corrected(module: str, text: str) -> str:
    """The source of a module as `tf.keras` has it.

    Args:
        module: Its name without that of the package.
        text: Its source.

    Returns:
        The source.
    """
    for pattern, replacement in _RULES.get(module, ()):
        text = re.sub(pattern, replacement, text)
    return text
