"""Runs calls of ops on TensorFlow, and keeps what they answered as a file of JSON."""

import json

import ml_dtypes
import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_registry

HALVES = ["float16", "bfloat16"]
FLOATS = HALVES + ["float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
COMPLEX = ["complex64", "complex128"]
REAL = FLOATS + INTEGERS
NUMERIC = REAL + COMPLEX
PLAIN = NUMERIC + ["bool"]

# Of one element, relative to its size where that is over 1.
TOLERANCES = {
    "float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "complex64": 4e-6,
    "float64": 1e-12, "complex128": 1e-12,
}


def array(values, dtype):
    """A tensor of the values; `dtype` is a name: "bfloat16", "string"."""
    if dtype == "string":
        return np.array(values, dtype=object)
    return np.asarray(values).astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def name_of(dtype):
    return tf.as_dtype(dtype).name


def write_element(value):
    if isinstance(value, (bytes, str)):
        return value.decode("latin-1") if isinstance(value, bytes) else value
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (complex, np.complexfloating)):
        return [write_element(value.real), write_element(value.imag)]
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, np.float32):
        value = float(np.format_float_scientific(value))  # the shortest that reads back as it
    value = float(value)
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "inf" if value > 0 else "-inf"
    return int(value) if value == int(value) and abs(value) < 2**53 and value != 0 else value


def write_tensor(tensor):
    tensor = tensor.numpy() if hasattr(tensor, "numpy") else np.asarray(tensor)
    if isinstance(tensor, (bytes, str)):
        tensor = np.array(tensor, dtype=object)
    dtype = "string" if tensor.dtype.kind in "OSU" else name_of(tensor.dtype)
    return {
        "dtype": dtype,
        "shape": list(tensor.shape),
        "values": [write_element(value) for value in np.asarray(tensor).reshape(-1)],
    }


def write_attr(value):
    if isinstance(value, tf.DType):
        return value.name
    if isinstance(value, (list, tuple)):
        return [write_attr(each) for each in value]
    if isinstance(value, (tf.Tensor, np.ndarray)):
        return write_tensor(value)
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return value


class Recorder:
    """Collects the calls of one family."""

    def __init__(self):
        self.calls = []

    def call(self, op, *inputs, outputs=None, error=None, says=None, gradient=None,
             tolerance=None, known_shape=True, **attrs):
        """Records a call: what TensorFlow answers, or `outputs` of another source.

        inputs: an array for each argument of the op, a list of them for one of several tensors.
        error: the code that is expected where TensorFlow has none or another one.
        says: what the message of an error must contain.
        gradient: the positions, among all tensors, of those to check derivatives for; by default
            all of float64, where an op has a gradient. [] where there is no derivative.
        tolerance: of an element, instead of that of its dtype.
        known_shape: False where the values of inputs, or of the result, decide about its shape.
        """
        recorded = {"op": op}
        given = {name: value for name, value in attrs.items() if value is not None}
        if given:
            recorded["attrs"] = {name: write_attr(value) for name, value in given.items()}
        tensors = []
        for value in inputs:
            tensors += value if isinstance(value, list) else [value]
        recorded["inputs"] = [write_tensor(value) for value in tensors]
        if error is None and outputs is None:
            try:
                outputs = self._run(op, inputs, given)
            except (tf.errors.NotFoundError, tf.errors.UnimplementedError):
                outputs = self._run_wide(op, inputs, given)
            except tf.errors.OpError as failure:
                error = type(failure).__name__.removesuffix("Error")
        if error is not None:
            recorded["error"] = error
            if says:
                recorded["says"] = says
        else:
            recorded["outputs"] = [write_tensor(value) for value in outputs]
        if gradient is not None:
            recorded["gradient"] = gradient
        if tolerance is not None:
            recorded["tolerance"] = tolerance
        if not known_shape:
            recorded["known_shape"] = False
        self.calls.append(recorded)

    def update(self, op, variables, *inputs, updated=None, outputs=None, error=None, says=None,
               tolerance=None, **attrs):
        """Records a call of an op on resource variables, which are its first inputs.

        variables: the value of each before the call. It is recorded which they have after it:
            where the call fails, the same.
        inputs, error, says, tolerance, attrs: as of call().
        updated, outputs: the values after it, and what it answers, of another source.
        """
        recorded = {"op": op}
        if attrs:
            recorded["attrs"] = {name: write_attr(value) for name, value in attrs.items()}
        recorded["variables"] = [write_tensor(value) for value in variables]
        recorded["inputs"] = [write_tensor(value) for value in inputs]
        if error is not None:
            recorded["error"] = error
            if says:
                recorded["says"] = says
            updated = variables
        elif updated is None:
            updated, outputs = self._run_update(op, variables, inputs, attrs)
        recorded["updated"] = [write_tensor(value) for value in updated]
        if error is None:
            recorded["outputs"] = [write_tensor(value) for value in outputs or []]
        if tolerance is not None:
            recorded["tolerance"] = tolerance
        self.calls.append(recorded)

    def update_error(self, op, variables, *inputs, says, code="InvalidArgument", **attrs):
        """Records an update that must fail with that code and words, and change nothing."""
        self.update(op, variables, *inputs, error=code, says=says, **attrs)

    def _run_update(self, op, variables, inputs, attrs):
        """16-bit floats are computed as floats: TensorFlow rounds each step of a formula."""
        dtype = np.asarray(variables[0]).dtype
        halves = (np.dtype("float16"), np.dtype(ml_dtypes.bfloat16))

        def wide(value):
            return value.astype("float32") if value.dtype in halves else value

        def narrow(value):
            value = value.numpy()
            return value.astype(dtype) if dtype in halves and value.dtype == "float32" else value

        held = [tf.Variable(wide(value)) for value in variables]
        handles = [np.array(0)] * len(held)
        outputs = self._run(op, handles + [wide(v) for v in inputs], attrs, held)
        return [narrow(variable) for variable in held], [narrow(value) for value in outputs]

    def error(self, op, *inputs, says, code="InvalidArgument", **attrs):
        """Records a call that must fail with that code and words, whatever TensorFlow says."""
        self.call(op, *inputs, error=code, says=says, **attrs)

    @staticmethod
    def _run(op, inputs, attrs, variables=()):
        definition = op_def_registry.get(op)
        if definition is None:
            raise LookupError(f"TensorFlow has no op {op}; give `outputs`")
        names = [argument.name for argument in definition.input_arg]
        implied = {argument.type_attr for argument in definition.input_arg}
        implied |= {argument.number_attr for argument in definition.input_arg}
        implied |= {argument.type_list_attr for argument in definition.input_arg}
        values = {}
        for name, value in zip(names, inputs, strict=True):
            many = isinstance(value, list)
            values[name] = [tf.constant(v) for v in value] if many else tf.constant(value)
        for name, variable in zip(names, variables):
            values[name] = variable.handle
        rest = {name: value for name, value in attrs.items() if name not in implied}
        answer = getattr(tf.raw_ops, op)(**values, **rest)
        if answer is None or isinstance(answer, tf.Operation):
            return []
        if isinstance(answer, tf.Tensor):
            return [answer]
        flat = []
        for value in answer:
            flat += value if isinstance(value, (list, tuple)) else [value]
        return flat

    def _run_wide(self, op, inputs, attrs):
        """For kernels that TensorFlow has not: with floats for 16-bit floats."""
        halves = (np.dtype("float16"), np.dtype(ml_dtypes.bfloat16))
        tensors = [t for value in inputs for t in (value if isinstance(value, list) else [value])]
        dtype = next((t.dtype for t in tensors if t.dtype in halves), None)
        if dtype is None:
            raise LookupError(f"TensorFlow has no kernel for {op} of that dtype; give `outputs`")

        def widen(value):
            if isinstance(value, list):
                return [widen(each) for each in value]
            return value.astype("float32") if value.dtype in halves else value

        outputs = [output.numpy() for output in self._run(op, [widen(v) for v in inputs], attrs)]
        return [v.astype(dtype) if v.dtype == np.float32 else v for v in outputs]

    def write(self, path):
        lines = ",\n".join(
            json.dumps(call, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
            for call in self.calls)
        path.write_text(f"[\n{lines}\n]\n")
