"""The lines of the package `keras` that say otherwise than `tf.keras`, by module."""

from __future__ import annotations

import re
from typing import Dict, List, Tuple

_Rules = List[Tuple[str, str]]

_BATCH = "input_shape[int(self.time_major)]"
# The parts that cells take of their weights have the dtype in which they compute.
_PARTS = (
    r"\bself\.((?:recurrent_)?kernel|(?:recurrent_|input_)?bias)\[",
    r"K.computed(self, self.\1)[",
)
_RULES: Dict[str, _Rules] = {
    "backend.load_backend": [
        # There is one backend, whatever the file and the variable of `import keras` say.
        (r"(?s)# Set Keras base dir path.*?(# Default backend: TensorFlow\.\n[^\n]*\n)", r"\1"),
        (r"(?s)# Attempt to read Keras config file\..*?(# Import backend functions\.)", r"\1"),
        (r"\bsys\.stderr\.write\('Using TensorFlow backend\.\\n'\)", "pass"),
    ],
    "backend.tensorflow_backend": [
        (
            r"(?m)^ +if dtype is None:\n +dtype = floatx\(\)\n"
            r"( +return tf\.(?:zero|one)s_like\()",
            r"\1",
        ),
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
        # The inputs decide on the dtype, where no argument does.
        (r"(?m)^ +if dtype is None:\n +dtype = K\.floatx\(\)\n( +self\.dtype = dtype)", r"\1"),
        (r"\bdtype = self\.dtype\b", "dtype = self.dtype or K.floatx()"),
        # Averages are not among the variables that optimizers train by default.
        (
            r"(?<=name=name,\n)( +constraint=constraint)\)",
            r"\1, trainable=trainable)",
        ),
        # Layers are modules; those of `tf.layers` and cells of `tf.nn.rnn_cell` are layers, too.
        (r"class Layer\(object\):", "class Layer(K.ModuleLike, metaclass=K.LayerType):"),
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
        (r"(output =) self\.call\((?=inputs, \*\*kwargs\))", r"\1 K.call_layer(self, "),
        (r"\bself\.build\(unpack_singleton\(input_shapes\)\)",
         "self.build(K.shapes_to_build(self, unpack_singleton(input_shapes)))"),
        (r"\bself\.compute_output_shape\(input_shape\)",
         "K.shape_of_call(self, input_shape, output)"),
        (r"all\(\[s is not None\s+for s in to_list\(input_shape\)\]\)",
         r"(K.has_structure(self) or \g<0>)"),
        # The regularizers of outputs are means over the batch.
        (
            r"( +)self\.activity_regularizer\(x\)\n",
            r"\1self.activity_regularizer(x) / K.cast(K.shape(x)[0], K.dtype(x))\n",
        ),
    ],
    "engine.network": [
        (r"(?m)^ +if dtype is None:\n +dtype = K\.floatx\(\)\n( +self\.dtype = dtype)", r"\1"),
        (r"if type\(obj\)\.__name__ == type\.__name__:", "if callable(obj):"),
        # A model has those of its layers anyhow, which are made once they are asked for.
        (r"(?m)^ +self\.add_loss\(layer\.get_losses_for\(None\), None\)\n", ""),
        (r"zip\(self\.inputs, inputs, masks\)",
         "zip(self.inputs, K.conform(self.inputs, inputs), masks)"),
        (r"\blayer\.call\((?=comp)", "K.call_node(layer, node, "),
        (
            r"(if \(hasattr\(layer, 'activity_regularizer'\)) and",
            r"\1 and not hasattr(layer, '_computed') and",
        ),
        (r"\blayer\.activity_regularizer\(x\)",
         r"\g<0> / K.cast(K.shape(x)[0], K.dtype(x))"),
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
    "layers.core": [
        (r"(?m)^ +assert len\(input_shape\) >= 2\n( +input_dim = .*\n\n +self\.kernel)", r"\1"),
    ],
    "layers.wrappers": [
        (
            r"\b(K\.reverse\(y_rev, )1\)",
            r"\g<1>0 if getattr(self.forward_layer, 'time_major', False) else 1)",
        ),
        (r"(?<=output_shape\[-1\] )\*= 2", "+= self._backward_size(input_shape)"),
        (
            r"\bself\.layer\.compute_output_shape\(child_input_shape\)",
            "K.as_tuples(self.layer.compute_output_shape(child_input_shape))",
        ),
    ],
    "engine.input_layer": [
        (r"'sparse': self\.sparse,", r"\g<0>\n                  'ragged': False,"),
    ],
    # Values of metrics stay numbers of their dtype; what is trained is said without validation too.
    "engine.training_arrays": [
        # Arrays are evaluated as a whole, also where those of the training come in steps.
        (r"(?s)    elif do_validation:\n +if steps_per_epoch:\n.*?training\.'\)\n", ""),
        (r"steps=validation_steps,(?=\n +callbacks=callbacks,\n +verbose=0\)\n +val_outs = to_list"
         r"\(val_outs\)\n[^\n]*\n[^\n]*\n[^\n]*\n        else:)",
         "steps=validation_steps,\n"
         "                                     batch_size=batch_size or 32,"),
        # In steps, as in batches: the loss is a mean, and metrics are what they are in the end.
        (r"outs\[i\] = float\(batch_out\)(\n +else:\n +)outs\[i\] \+= float\(batch_out\)",
         r"outs[i] += float(batch_out)\1outs[i] = batch_out"),
        (r"outs\[i\] = float\(batch_out\)", "outs[i] = batch_out"),
        (r"(?m)^    if validation_steps:\n        do_validation = True\n",
         "    if verbose and not (do_validation and fit_inputs):\n"
         "        if steps_per_epoch:\n"
         "            print('Train on %d steps' % steps_per_epoch)\n"
         "        elif fit_inputs and hasattr(fit_inputs[0], 'shape'):\n"
         "            print('Train on %d samples' % fit_inputs[0].shape[0])\n"
         r"\g<0>"),
    ],
    "engine.training_generator": [
        (r"np\.float64\((outs_per_batch\[-1\]\[i\])\)", r"\1"),
    ],
    # A mean of losses is of 64 bits, whatever NumPy makes of a number of 32.
    "callbacks.callbacks": [
        (r"(self\.totals\[k\] \+?= )v \* batch_size", r"\1np.float64(v) * batch_size"),
    ],
    "utils.data_utils": [(r"\bmp\.Pool\(", "make_pool(")],
    "utils.generic_utils": [
        (r"(?m)(elif self\.verbose == 2:\n"
         r"( +)if self\.target is None or current >= self\.target:\n)",
         r"\1\2    if self.target is not None:\n"
         r"\2        info = '%*d/%d' % (len(str(self.target)), current, self.target) + info\n"),
    ],
    "callbacks.tensorboard_v1": [
        # Histograms are numbered by the batches of the validations.
        (r"add_summary\(summary_str, epoch\)",
         "add_summary(summary_str, getattr(self, '_looked_at', 0))\n"
         "                    self._looked_at = getattr(self, '_looked_at', 0) + 1"),
    ],
    # `clone_model` may be told how to copy a layer.
    "models": [
        (r"layer\.__class__\.from_config\(layer\.get_config\(\)\)", "K.clone_layer(layer)"),
    ],
    # An initializer with a seed gives the same numbers again.
    "initializers": [(r"self\.seed \+= 1", "pass")],
    "layers.convolutional": [
        (r"(config\.pop\('rank'\)\n)(?: +config\.pop\('kernel_\w+'\)\n){3}( +)"
         r"(config\['depth_multiplier'\])", r"\1\2\3"),
    ],
    "layers.embeddings": [
        (r"(?=super\(Embedding, self\)\.__init__)",
         "kwargs['dtype'] = kwargs.get('dtype') or K.floatx()\n        "),
    ],
    "layers.normalization": [
        (r"(?m)^ +if K\.backend\(\) != 'cntk':\n( +.*\n|\n)+?.*variance \*= .*\n", ""),
        # Layers tell a list of axes, once they know the rank.
        (r"\bself\.axis\b", "self._channel"),
    ],
    "layers.convolutional_recurrent": [_PARTS],
    "layers.recurrent": [
        _PARTS,
        (r"\b((?:self\.)?cell)\.state_size\b", r"K.state_sizes(\1)"),
        (r"K\.state_sizes\((self\.cells\[-1\])\)", r"\1.state_size"),
        (r"\b((?:self\.)?cell)\.call\(inputs, states", r"K.call_cell(\1, inputs, states"),
        # The time may be in front, and the results of what masks leave out 0.
        (r"(?<=output_shape = \()input_shape\[0\](?=, output_dim)", _BATCH),
        (r"(?<=\[\()input_shape\[0\](?=, dim\))", _BATCH),
        (r"(?<=batch_size = )input_shape\[0\](?= if self\.stateful)", _BATCH),
        (r"(?<=step_input_shape = \()input_shape\[0\](?=,\))", _BATCH),
        (
            r"\(batch_size, None, input_dim\)",
            "(None, batch_size, input_dim) if self.time_major else (batch_size, None, input_dim)",
        ),
        (r"\baxis=\(1, 2\)", "axis=(int(not self.time_major), 2)"),
        (r"(?<=timesteps = )input_shape\[1\]", "input_shape[int(not self.time_major)]"),
        (r"(?<=batch_size = self\.input_spec\[0\]\.shape)\[0\]", "[int(self.time_major)]"),
        (
            r"(?m)^( +)input_length=timesteps\)",
            r"\1input_length=timesteps,\n\1time_major=self.time_major,\n"
            r"\1zero_output_for_mask=self.zero_output_for_mask)",
        ),
        (r"(?m)^( +)implementation=2,$", r"\1implementation=1,"),
        (r"(?m)^( +)recurrent_activation='sigmoid',$", r"\1recurrent_activation='hard_sigmoid',"),
    ],
    # The first layer has the shape that a layer of inputs in front of it was told.
    "engine.sequential": [
        (r"\bdtype = K\.floatx\(\)", "dtype = self.dtype or K.floatx()"),
        (r"(?m)^( +)(name=self\.name \+ '_input'\))",
         r"\1sparse=getattr(self, '_takes_sparse', False), \2"),
        (r"\bif input_shape and not", "if input_shape is not None and not"),
        (r"(?m)^        config = \{\n            'name': self\.name,",
         "        first = self._layers[0] if self._layers else None\n"
         "        if (type(first).__name__ == 'InputLayer' and layer_configs\n"
         "                and not self._build_input_shape\n"
         "                and 'batch_input_shape' not in layer_configs[0]['config']):\n"
         "            layer_configs[0]['config']['batch_input_shape'] = first.batch_input_shape\n"
         r"\g<0>"),
    ],
    # What a model calls while it is fitted has the model's name in front, as where it is called.
    "engine.training": [
        (r"ndim=len\(shape\)", "ndim=None if shape is None else len(shape)"),
        # Optimizers have scopes of their own.
        (r"with K\.name_scope\(self\.optimizer\.__class__\.__name__\):", "if True:"),
        (
            r"(?m)^( +)outputs = self\.call\((.*)$",
            r"\1with K.name_scope(self.name):\n\1    outputs = K.results_of_model(self, \2",
        ),
        # Models of programs take dicts of arrays.
        (r"(?<=inputs = )to_list\(inputs, allow_tuple=True\)", "K.inputs_of_model(self, inputs)"),
        (r"(?<=name = )'input_%d' % \(i \+ 1\)", "K.name_of_input(self, i)"),
        (r"(?s)elif isinstance\(x, dict\):\n +raise ValueError\('Please do not pass a dictionary '"
         r"\n +'as model inputs\.'\)", "elif isinstance(x, dict):\n                pass"),
    ],
    # The names of metrics are those of their functions, and not what `compile` was told.
    "engine.training_utils": [
        # Steps take all of the arrays, whatever the size of a batch is.
        (r"(?s)    if steps is not None and batch_size is not None:\n.*?must be None\.'\)\n", ""),
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
