"""Element types of tensors, and the NumPy types that represent them."""

from __future__ import annotations

from typing import Any, Dict, Tuple, Union

import numpy as np

from troupe import _native
from troupe._src.set_module import set_module

_FLOATING = ("float16", "bfloat16", "float32", "float64")
_COMPLEX = ("complex64", "complex128")
_REAL = {"complex64": "float32", "complex128": "float64"}
_OTHER = ("string", "bool", "resource", "variant")


@set_module("troupe")
class DType:
    """The type of a tensor's elements, such as `tf.float32`.

    Args:
        type_enum: The number that TensorFlow's DataType gives it, of references too.

    Raises:
        TypeError: There is no dtype of that number.
    """

    _name: str  # "float32", "bool": as NumPy writes it
    _number: int
    _base: DType
    _numpy: np.dtype[Any]

    def __new__(cls, type_enum: int) -> DType:
        found = _BY_NUMBER.get(type_enum) or _REFERENCES_BY_NUMBER.get(type_enum)
        if found is None:
            raise TypeError(f"type_enum is not a valid types_pb2.DataType: {type_enum}")
        return found

    @classmethod
    def _made(cls, name: str, number: int) -> DType:
        made = object.__new__(cls)
        made._name, made._number, made._base = name, number, made
        # NumPy has no bfloat16: its values are fed and fetched as float32, which includes them.
        kind = "object" if name in ("string", "resource", "variant") else name
        made._numpy = np.dtype({"bfloat16": "float32"}.get(kind, kind))
        return made

    @property
    def name(self) -> str:
        """ "float32", "bool": as NumPy writes them."""
        return self._name

    @property
    def as_datatype_enum(self) -> int:
        """The number that TensorFlow's DataType gives it."""
        return self._number

    @property
    def as_numpy_dtype(self) -> Any:
        """The NumPy type of its elements, such as `numpy.float32`."""
        return self._numpy.type

    @property
    def base_dtype(self) -> DType:
        """Itself, or what a reference to a variable gives where a value is wanted."""
        return self._base

    @property
    def _is_ref_dtype(self) -> bool:
        return self._base is not self

    @property
    def _as_ref(self) -> DType:
        """The dtype of references to variables of this one, such as float32_ref."""
        return _REFERENCES[self._base._name]

    @property
    def size(self) -> int:
        """The size of an element in bytes."""
        return 2 if self._base._name == "bfloat16" else self._numpy.itemsize

    @property
    def is_floating(self) -> bool:
        """True for float16, bfloat16, float32 and float64."""
        return self._base._name in _FLOATING

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self._base._name in _COMPLEX

    @property
    def is_integer(self) -> bool:
        """True for integers of any size."""
        return self._base._name not in _FLOATING + _COMPLEX + _OTHER

    @property
    def is_bool(self) -> bool:
        """True for bool."""
        return self._base._name == "bool"

    @property
    def is_unsigned(self) -> bool:
        """True for integers without sign."""
        return self._base._name.startswith("uint")

    @property
    def is_quantized(self) -> bool:
        """False: there are no quantized dtypes."""
        return False

    @property
    def is_numpy_compatible(self) -> bool:
        """Whether arrays of NumPy have such values: all but those of resources and variants."""
        return self._base._name not in ("resource", "variant")

    @property
    def real_dtype(self) -> DType:
        """The dtype of the parts of complex numbers; of any other dtype, that of its values."""
        return _BY_NAME[_REAL.get(self._base._name, self._base._name)]

    @property
    def min(self) -> Any:
        """The least finite value, as a NumPy scalar or a number; TypeError if it has none."""
        return self._range()[0]

    @property
    def max(self) -> Any:
        """The greatest finite value, as `min`."""
        return self._range()[1]

    def _range(self) -> Tuple[Any, Any]:
        if self._base._name == "bfloat16":
            greatest = np.float32(float.fromhex("0x1.FEp127"))
            return -greatest, greatest
        if not (self.is_floating or self.is_integer):
            raise TypeError(f"Values of {self._base._name} have no least and no greatest one")
        limits: Any = (np.finfo if self.is_floating else np.iinfo)(self._numpy)
        return limits.min, limits.max

    def limits(self, clip_negative: bool = True) -> Tuple[Any, Any]:
        """The intensities of images of this dtype: -1 to 1 for floats, else all values.

        Args:
            clip_negative: whether they begin at 0, though negative ones exist.

        Returns:
            The least and the greatest.

        Raises:
            TypeError: if values are no numbers.
        """
        special = (-1, 1) if self.is_floating else (False, True) if self.is_bool else None
        low, high = special or self._range()
        return 0 if clip_negative else low, high

    def is_compatible_with(self, other: DTypeLike) -> bool:
        """Whether values of another dtype are also of this one.

        Args:
            other: A DType, or what `as_dtype` takes.

        Returns:
            True for the same dtype.
        """
        return self._base == as_dtype(other)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        try:
            return self is as_dtype(other)
        except (TypeError, ValueError):
            return False

    def __hash__(self) -> int:
        return self._number

    def __repr__(self) -> str:
        return f"tf.{self._name}"

    def __str__(self) -> str:
        return f"<dtype: '{self._name}'>"

    def __reduce__(self) -> Any:
        return (_reference, (self._base,)) if self._is_ref_dtype else (as_dtype, (self._name,))


class _ReferenceDType(DType):
    """The dtype of a reference to a variable: only what variables say of themselves."""

    @classmethod
    def _of(cls, base: DType) -> DType:
        made = cls._made(base._name, base._number + 100)  # as in TensorFlow's enum DataType
        made._name, made._base = f"{base._name}_ref", base
        return made


def _reference(base: DType) -> DType:
    return base._as_ref


DTypeLike = Union[DType, str, type, np.dtype, Any]

_BY_NUMBER: Dict[int, DType] = {
    number: DType._made(name, number) for name, number in _native.dtypes()
}
_BY_NAME: Dict[str, DType] = {dtype.name: dtype for dtype in _BY_NUMBER.values()}

_REFERENCES: Dict[str, DType] = {name: _ReferenceDType._of(it) for name, it in _BY_NAME.items()}
_REFERENCES_BY_NUMBER: Dict[int, DType] = {it._number: it for it in _REFERENCES.values()}

float16 = half = _BY_NAME["float16"]
float32 = _BY_NAME["float32"]
float64 = double = _BY_NAME["float64"]
bfloat16 = _BY_NAME["bfloat16"]
int8 = _BY_NAME["int8"]
int16 = _BY_NAME["int16"]
int32 = _BY_NAME["int32"]
int64 = _BY_NAME["int64"]
uint8 = _BY_NAME["uint8"]
uint16 = _BY_NAME["uint16"]
uint32 = _BY_NAME["uint32"]
uint64 = _BY_NAME["uint64"]
bool_ = _BY_NAME["bool"]
string = _BY_NAME["string"]
complex64 = _BY_NAME["complex64"]
complex128 = _BY_NAME["complex128"]
resource = _BY_NAME["resource"]
variant = _BY_NAME["variant"]

# Unlike in NumPy, where "float" is float64.
_BY_NAME.update({"half": float16, "float": float32, "double": float64})

_BY_TYPE: Dict[Any, DType] = {float: float32, int: int32, bool: bool_, complex: complex128}
_BY_TYPE.update({str: string, bytes: string, np.str_: string, np.bytes_: string, object: string})
_BY_TYPE[np.object_] = string


def by_number(number: int) -> DType:
    """The dtype that has this number in TensorFlow's enum DataType."""
    return _BY_NUMBER[number]


def of_array(array: np.ndarray[Any, Any]) -> DType:
    """The dtype of an array's elements."""
    if array.dtype.kind in "OSU":
        return string
    found = _BY_NAME.get(array.dtype.name)
    if found is None:
        raise TypeError(f"no tensor can have elements of the NumPy type {array.dtype}")
    return found


@set_module("troupe")
def as_dtype(type_value: DTypeLike) -> DType:
    """The DType that a name, a Python or NumPy type, or a number stands for.

    Args:
        type_value: "float32", `float`, `numpy.float32`, a number of TensorFlow's DataType, or a
            DType.

    Returns:
        The DType; for that of a reference, the dtype of values.

    Raises:
        TypeError: It stands for none.
    """
    if isinstance(type_value, DType):
        return type_value._base
    if isinstance(type_value, int) and type_value in _BY_NUMBER:
        return _BY_NUMBER[type_value]
    if isinstance(type_value, str) and type_value in _BY_NAME:
        return _BY_NAME[type_value]
    try:
        if type_value is None:  # for which NumPy gives float64
            raise TypeError
        if type_value in _BY_TYPE:
            return _BY_TYPE[type_value]
        array_type = np.dtype(type_value)
        return string if array_type.kind in "SU" else _BY_NAME[array_type.name]
    except (TypeError, KeyError):
        raise TypeError(f"Cannot convert value {type_value!r} to a DType") from None


def __getattr__(name: str) -> DType:
    """The dtypes of references, such as `float32_ref`, where TensorFlow's source has them."""
    base = _BY_NAME.get(name[: -len("_ref")]) if name.endswith("_ref") else None
    if base is None:
        raise AttributeError(f"module '{__name__}' has no '{name}'")
    return base._as_ref
