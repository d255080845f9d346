"""Base classes of the objects that stand for TensorFlow's protocol buffers."""

from __future__ import annotations

import copy
from typing import Any, Dict, Iterator, List, Optional, Tuple, TypeVar

from troupe._src.messages.fields import (
    Field,
    default_of,
    is_packed,
    read_one,
    read_packed,
    split_entry,
    write_field,
)
from troupe._src.messages.reflection import FieldDescriptor, Reflection, fields_of
from troupe._src.messages.text_form import text_of_all
from troupe._src.messages.wire import read_fields

O = TypeVar("O", bound="Options")


class Record:
    """A message that the package fills in; its fields are attributes.

    Args:
        **fields: Their values, by name.
    """

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __repr__(self) -> str:
        shown = {key: value for key, value in self.__dict__.items() if not key.startswith("_")}
        fields = ", ".join(f"{key}={value!r}" for key, value in shown.items())
        return f"{type(self).__name__}({fields})"


class Options(Reflection):
    """A message that the program fills in, by keywords or attributes; other fields are refused.

    Args:
        **fields: the values of fields, by name.

    Raises:
        ValueError: if it has no such field.
    """

    _fields: Dict[str, Any] = {}  # name -> default value, or the class of a submessage
    _wire: Dict[str, Tuple[int, str]] = {}  # name -> number and kind of what bytes have

    def __init__(self, **fields: Any) -> None:
        self.Clear()
        for name, value in fields.items():
            if name not in self._fields:
                raise ValueError(f'{type(self).__name__} has no "{name}" field.')
            if value is not None:
                setattr(self, name, copy.copy(value))

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise AttributeError(f'{type(self).__name__} has no "{name}" field.')
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f'{type(self).__name__} has no "{name}" field.')

    def Clear(self) -> None:
        """Sets all fields to their defaults."""
        for name, default in self._fields.items():
            value = default() if isinstance(default, type) else copy.copy(default)
            self.__dict__[name] = value

    def CopyFrom(self, other: Any) -> None:
        """Copies all fields.

        Args:
            other: options of the same class.
        """
        self.__dict__.update(copy.deepcopy(other.__dict__))

    def MergeFrom(self, other: Any) -> None:
        """Copies the fields that are set; lists are appended.

        Args:
            other: options of the same class.
        """
        for name in other._fields:
            if not other.HasField(name):
                continue
            value, merged = getattr(self, name), copy.deepcopy(getattr(other, name))
            if isinstance(value, Options):
                value.MergeFrom(merged)
            elif isinstance(value, dict):
                value.update(merged)
            else:
                is_list = isinstance(value, list)
                setattr(self, name, type(value)(value + merged) if is_list else merged)

    def HasField(self, name: str) -> bool:
        """Whether a value is not the default.

        Args:
            name: the name of the field.

        Returns:
            True or false.
        """
        default = self._fields[name]
        return bool(getattr(self, name) != (default() if isinstance(default, type) else default))

    def ClearField(self, field_name: str) -> None:
        """Sets a field to its default.

        Args:
            field_name: its name.

        Raises:
            ValueError: if there is no such field.
        """
        if field_name not in self._fields:
            raise ValueError(f'Protocol message has no "{field_name}" field.')
        default = self._fields[field_name]
        value = default() if isinstance(default, type) else copy.copy(default)
        self.__dict__[field_name] = value

    def SetInParent(self) -> None:
        """Has no effect: a message counts as set where one of its fields is."""

    def WhichOneof(self, oneof_group: str) -> Optional[str]:
        """ValueError: no options are alternatives.

        Args:
            oneof_group: the name of the group.

        Returns:
            Nothing.

        Raises:
            ValueError: always.
        """
        raise ValueError(f'Protocol message has no oneof "{oneof_group}" field.')

    # Bytes.

    @classmethod
    def _declared_fields(cls) -> Dict[str, Field]:
        """What bytes have, by name."""
        found = {}
        for name, (number, kind) in cls._wire.items():
            default = cls._fields.get(name)
            is_list = isinstance(default, list) or kind.endswith("*")
            is_list = is_list or isinstance(default, type) and issubclass(default, list)
            of = getattr(default, "element", default) if isinstance(default, type) else None
            key = "string" if isinstance(default, dict) else None
            found[name] = Field(number, kind.rstrip("*"), of, is_list, key)
        return dict(sorted(found.items(), key=lambda item: item[1].number))

    def _set_fields(self) -> Iterator[Tuple[str, Field, Any]]:
        given = dict(self._text_fields())
        for name, field in self._declared_fields().items():
            if name in given:
                yield name, field, given[name]

    def ListFields(self) -> List[Tuple[FieldDescriptor, Any]]:
        """The fields that are set with their values, in the order of their numbers."""
        found = self._set_fields()
        return [(FieldDescriptor(name, field), value) for name, field, value in found]

    def SerializeToString(self, deterministic: Optional[bool] = None) -> bytes:
        """The bytes, as protobuf writes them.

        Args:
            deterministic: has no effect.

        Returns:
            The bytes.
        """
        return b"".join(write_field(field, value) for _, field, value in self._set_fields())

    def MergeFromString(self, serialized: bytes) -> int:
        """Adds what the bytes say; what they have besides the fields is left out.

        Args:
            serialized: the bytes of a message of this type.

        Returns:
            Their number.

        Raises:
            ValueError: if they are no such message.
        """
        fields = {field.number: (name, field) for name, field in self._declared_fields().items()}
        for number, wire, value in read_fields(bytes(serialized)):
            if number in fields:
                self._merge_field(*fields[number], wire, value)
        return len(serialized)

    def _merge_field(self, name: str, field: Field, wire: int, value: Any) -> None:
        held = getattr(self, name)
        if field.key is not None:
            key, own = split_entry(read_fields(value))
            at = read_one("string", *key) if key else ""
            held[at] = read_one(field.kind, *own) if own else default_of(field.kind)
        elif is_packed(field, wire):
            held.extend(read_packed(field.kind, value))
        elif field.is_message and field.repeated:
            held.append(field.message_class().FromString(value))
        elif field.is_message:
            held.MergeFromString(value)
        elif field.repeated:
            held.append(read_one(field.kind, wire, value))
        else:
            setattr(self, name, read_one(field.kind, wire, value))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        """Its fields that are set."""
        for name in self._fields:
            if self.HasField(name):
                yield name, getattr(self, name)

    def __str__(self) -> str:
        return text_of_all(self)

    def __repr__(self) -> str:
        names = [name for name in self._fields if self.HasField(name)]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({fields})"


class AnyOptions(Options):
    """Options without effect: fields of any name, which may have fields themselves."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        kind = self._wire.get(name, (0, "message"))[1]
        if kind.endswith("*"):
            return self.__dict__.setdefault(name, [])
        if kind != "message":
            return default_of(kind)
        return self.__dict__.setdefault(name, AnyOptions())

    def Clear(self) -> None:
        self.__dict__.clear()

    def ClearField(self, field_name: str) -> None:
        self.__dict__.pop(field_name, None)

    def HasField(self, name: str) -> bool:
        return name in dict(self._text_fields())

    def MergeFrom(self, other: Any) -> None:
        self.CopyFrom(other)

    def _text_fields(self) -> Iterator[Tuple[str, Any]]:
        for name, value in self.__dict__.items():
            is_empty = value == [] or isinstance(value, AnyOptions) and not value.__dict__
            if not is_empty:
                yield name, value

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"


class VirtualDevices(AnyOptions):
    """Accepted without effect."""

    _wire = fields_of("memory_limit_mb=1:float*")


class GPUExperimental(AnyOptions):
    """Accepted without effect."""

    VirtualDevices = VirtualDevices

    _fields = {"virtual_devices": VirtualDevices}
    _wire = fields_of(
        """
        virtual_devices=1:message* use_unified_memory=2:bool num_dev_to_dev_copy_streams=3:int32
        collective_ring_order=4:string timestamped_allocator=5:bool
        kernel_tracker_max_interval=7:int32 kernel_tracker_max_bytes=8:int32
        kernel_tracker_max_pending=9:int32
        """
    )


class ConfigExperimental(AnyOptions):
    """Accepted without effect, but for `placement`."""

    _wire = fields_of(
        """
        collective_group_leader=1:string executor_type=3:string recv_buf_max_chunk=4:int32
        use_numa_affinity=5:bool collective_deterministic_sequential_execution=6:bool
        collective_nccl=7:bool share_session_state_in_clusterspec_propagation=8:bool
        disable_thread_spinning=9:bool share_cluster_devices_in_session=10:bool
        optimize_for_static_graph=12:bool placement=50001:string
        """
    )


class RunExperimental(AnyOptions):
    """Accepted without effect."""

    _wire = fields_of("collective_graph_key=1:int64 use_run_handler_pool=2:bool")
