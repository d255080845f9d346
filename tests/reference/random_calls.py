"""Random calls of ops: recorded ones with other sizes, dtypes and elements, and such as
TensorFlow's definition of an op allows."""

import json
import math
import pathlib

import ml_dtypes
import numpy as np
from recorder import FLOATS, INTEGERS, PLAIN, array

CALLS = pathlib.Path(__file__).parent / "calls"
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 7]
ELEMENTS_MAX = 20_000
TEXTS = ["", "a", "abc", "a b", "Hello, World", "12", "-7.5", "é", "x,y,z", "AAA"]

# The shapes of the inputs, a letter a size, of ops without recorded calls whose inputs must fit.
SHAPES = {
    "BiasAdd": ["abc", "c"],
    "BroadcastGradientArgs": ["a", "b"],
    "Fill": ["a", ""],
    "MatMul": ["ab", "bc"],
    "OneHot": ["ab", "", "", ""],
    "Range": ["", "", ""],
    "Select": ["ab", "ab", "ab"],
    "SoftmaxCrossEntropyWithLogits": ["ab", "ab"],
    "SparseSoftmaxCrossEntropyWithLogits": ["ab", "a"],
}


def read_bytes(text):
    return text.encode("latin-1") if all(ord(c) < 256 for c in text) else text.encode()


def read_element(value, dtype):
    if dtype == "string":
        return read_bytes(value)
    if dtype.startswith("complex"):
        return complex(float(value[0]), float(value[1]))
    return float(value) if isinstance(value, str) else value


def read_tensor(recorded):
    dtype = recorded["dtype"]
    values = [read_element(value, dtype) for value in recorded["values"]]
    flat = np.empty(len(values), object) if dtype == "string" else None
    if flat is None:
        return array(values, dtype).reshape(recorded["shape"])
    flat[:] = values
    return flat.reshape(recorded["shape"])


def dtype_of(value):
    if value.dtype == object:
        return "string"
    return "bfloat16" if value.dtype == ml_dtypes.bfloat16 else value.dtype.name


class Call:
    """An op, the tensors of all its arguments in a row, and its attributes."""

    def __init__(self, op, inputs, attrs):
        self.op, self.inputs, self.attrs = op, inputs, attrs

    def __str__(self):
        texts = [
            f"{dtype_of(value)}{list(value.shape)} {np.array2string(value, threshold=48)}"
            for value in self.inputs
        ]
        texts += [f"{name}={value!r}" for name, value in self.attrs.items()]
        return f"{self.op}({', '.join(texts)})"


def recorded_calls():
    """Those without variables that succeed, by op."""
    calls = {}
    for path in sorted(CALLS.glob("*/*.json")):
        for call in json.loads(path.read_text()):
            if "error" in call or "variables" in call:
                continue
            inputs = [read_tensor(value) for value in call["inputs"]]
            calls.setdefault(call["op"], []).append(Call(call["op"], inputs, call.get("attrs", {})))
    return calls


class RandomCalls:
    """Draws calls of one op, a function of the seed."""

    def __init__(self, definition, recorded, seed):
        self.definition, self.recorded = definition, recorded
        self.random = np.random.default_rng(seed)

    def draw(self):
        if not self.recorded or self.random.random() < 0.2:
            return self._of_definition()
        call = self._pick(self.recorded)
        call = Call(call.op, list(call.inputs), dict(call.attrs))
        for _ in range(self.random.integers(1, 4)):
            self._change(call)
        return call

    def _pick(self, values):
        return values[self.random.integers(len(values))]

    def elements(self, dtype, shape):
        """Small numbers for indices, and for others numbers of all sizes, some of them special."""
        random = self.random
        if dtype == "string":
            values = np.empty(int(np.prod(shape)), object)
            values[:] = [self._pick(TEXTS).encode() for _ in range(values.size)]
            return values.reshape(shape)
        if dtype == "bool":
            return random.random(shape) < 0.5
        if dtype in INTEGERS:
            values = random.integers(0 if dtype[0] == "u" else -4, 9, shape)
            if random.random() < 0.1:
                limits = np.iinfo(dtype)
                return random.choice([limits.min, limits.max, 0, 1], shape).astype(dtype)
            return values.astype(dtype)
        values = random.normal(size=shape) * self._pick([1, 1, 1, 10, 0.01])
        if dtype.startswith("complex"):
            values = values + 1j * random.normal(size=shape)
        elif random.random() < 0.1:
            special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e-30]
            values = np.where(random.random(shape) < 0.3, random.choice(special, shape), values)
        elif random.random() < 0.3:
            values = np.round(values)
        with np.errstate(over="ignore"):
            return array(values, dtype)

    def _change(self, call):
        if not call.inputs:
            return self._change_attr(call)
        change = self._pick(
            [self._change_size, self._change_size, self._change_dtype, self._change_elements,
             self._change_elements, self._change_attr])
        change(call)

    def _change_size(self, call):
        """A size becomes another in all tensors, and among all sizes."""
        sizes = [size for value in call.inputs for size in value.shape]
        if not sizes:
            return
        old, new = self._pick(sizes), self._pick(SIZES)
        changes_values = self.random.random() < 0.7
        shapes = [[new if s == old else s for s in value.shape] for value in call.inputs]
        if max(map(math.prod, shapes)) > ELEMENTS_MAX:
            return
        for i, (value, shape) in enumerate(zip(call.inputs, shapes)):
            value = np.resize(value, shape)
            if changes_values and value.dtype in (np.int32, np.int64):
                value = np.where(value == old, new, value).astype(value.dtype)
            call.inputs[i] = value

    def _change_dtype(self, call):
        """A type attribute, and the tensors that it says the dtype of."""
        choices = [attr for attr in self.definition.attr if attr.type == "type"]
        if not choices:
            return
        attr = self._pick(choices)
        dtype = self._allowed_dtype(attr)
        taken = False
        for i, argument in enumerate(self._arguments(len(call.inputs))):
            if argument is None or argument.type_attr != attr.name:
                continue
            taken = True
            with np.errstate(all="ignore"):
                call.inputs[i] = self._converted(call.inputs[i], dtype)
        if attr.name in call.attrs or not taken:
            call.attrs[attr.name] = dtype

    def _converted(self, value, dtype):
        if "string" in (dtype, dtype_of(value)):
            return self.elements(dtype, value.shape)
        return array(value.real if value.dtype.kind == "c" and dtype[0] != "c" else value, dtype)

    def _arguments(self, count):
        """The argument that each input belongs to; None where lists hide that."""
        arguments = self.definition.input_arg
        if any(a.number_attr or a.type_list_attr for a in arguments):
            return list(arguments) * count if len(arguments) == 1 else [None] * count
        return arguments[:count]

    def _change_elements(self, call):
        i = self.random.integers(len(call.inputs))
        value = call.inputs[i]
        if value.dtype in (np.int32, np.int64) and value.size and self.random.random() < 0.7:
            changed = value.copy().reshape(-1)
            changed[self.random.integers(changed.size)] = self.random.integers(-2, 6)
            call.inputs[i] = changed.reshape(value.shape)
        elif value.dtype != object:
            call.inputs[i] = self.elements(dtype_of(value), value.shape)

    def _change_attr(self, call):
        attrs = [attr for attr in self.definition.attr if attr.type != "type"]
        implied = {a.number_attr for a in self.definition.input_arg}
        attrs = [attr for attr in attrs if attr.name not in implied]
        if not attrs:
            return
        attr = self._pick(attrs)
        seen = [other.attrs[attr.name] for other in self.recorded if attr.name in other.attrs]
        if seen and self.random.random() < 0.5:
            call.attrs[attr.name] = self._pick(seen)
        elif (value := self._attr(attr)) is not None:
            call.attrs[attr.name] = value

    def _allowed_dtype(self, attr):
        import tensorflow as tf

        allowed = [tf.as_dtype(number).name for number in attr.allowed_values.list.type]
        known = [name for name in allowed or [*PLAIN, "string"] if name in [*PLAIN, "string"]]
        common = [name for name in ("float32", "float64", "int32", "int64") if name in known]
        return self._pick(common if common and self.random.random() < 0.6 else known or FLOATS)

    def _attr(self, attr):
        random = self.random
        if attr.type == "bool":
            return bool(random.random() < 0.5)
        if attr.type == "int":
            return int(random.integers(max(-1, attr.minimum if attr.has_minimum else -1), 5))
        if attr.type == "float":
            return float(np.float32(random.normal()))
        if attr.type == "string" and attr.allowed_values.list.s:
            return self._pick(attr.allowed_values.list.s).decode()
        if attr.type == "list(int)":
            return [int(i) for i in random.integers(-1, 4, random.integers(1, 5))]
        return None

    def _of_definition(self):
        definition, random = self.definition, self.random
        dtypes = {a.name: self._allowed_dtype(a) for a in definition.attr if a.type == "type"}
        counts = {a.name: int(random.integers(1, 4)) for a in definition.attr if a.type == "int"}
        common = [int(self._pick(SIZES)) for _ in range(random.integers(0, 5))]
        letters = {letter: int(self._pick(SIZES)) for letter in "abc"}
        shapes = SHAPES.get(definition.name, [])
        inputs, implied = [], set()
        for argument in definition.input_arg:
            implied |= {argument.type_attr, argument.number_attr, argument.type_list_attr}
            count = counts[argument.number_attr] if argument.number_attr else 1
            if argument.type_list_attr:
                count = int(random.integers(1, 4))
            for _ in range(count):
                own = [[letters[c] for c in shape] for shape in shapes[len(inputs):][:1]]
                inputs.append(self._input(argument, dtypes, common, own))
        attrs = {}
        for attr in definition.attr:
            if attr.name in implied or (attr.HasField("default_value") and random.random() < 0.7):
                continue
            value = dtypes[attr.name] if attr.type == "type" else self._attr(attr)
            if value is not None:
                attrs[attr.name] = value
        return Call(definition.name, inputs, attrs)

    def _input(self, argument, dtypes, common, own):
        import tensorflow as tf

        if argument.type_list_attr:
            dtype = self._pick(PLAIN)
        else:
            dtype = dtypes.get(argument.type_attr) or tf.as_dtype(argument.type).name
        if dtype not in [*PLAIN, "string"]:
            dtype = "float32"  # a handle: no call of it is valid
        if own:
            return self.elements(dtype, own[0])
        if dtype in ("int32", "int64"):
            value = self._integers_of(argument.name, common)
            if value is not None:
                return array(value, dtype)
        return self.elements(dtype, self._related(common))

    def _integers_of(self, name, common):
        """What an argument of that name says, as most ops understand it."""
        random, rank = self.random, len(common)
        if name in ("axis", "dim", "dimension", "split_dim", "concat_dim"):
            return random.integers(-rank, max(rank, 1))
        if name in ("axes", "reduction_indices"):
            return random.choice(max(rank, 1), random.integers(0, rank + 1), replace=False)
        if name == "perm":
            return random.permutation(rank)
        if name in ("shape", "dims", "size"):
            return random.permutation(common)
        if name in ("paddings", "crops"):
            return random.integers(0, 3, (rank, 2))
        if name == "begin":
            return np.zeros(rank)
        if name in ("multiples", "strides", "block_shape"):
            return random.integers(1, 4, rank)
        if name == "segment_ids":
            return np.sort(random.integers(0, 4, common[:1] or [1]))
        if name == "indices" and common:
            return random.integers(0, max(common[0], 1), self._related(common))
        return None

    def _related(self, common):
        """That shape, or one that is broadcast to it, or another."""
        random = self.random
        if random.random() < 0.6:
            return common
        if random.random() < 0.2:
            return [int(self._pick(SIZES)) for _ in range(random.integers(0, 4))]
        shape = common[random.integers(len(common) + 1):]
        return [1 if random.random() < 0.25 else size for size in shape]
