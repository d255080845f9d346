#include "troupe/actors/node_serialization.hpp"

#include <algorithm>
#include <bit>

#include <caf/sec.hpp>

#include "troupe/actors/link/wire_message.hpp"

namespace troupe {
namespace {

/// The limit of a tensor inside the content of a message, where there is no WireContext.
constexpr size_t tensor_bytes_max = size_t{1} << 30;

caf::error bad(const char* what) { return caf::make_error(caf::sec::invalid_argument, what); }

template <class... Ts>
caf::error write(caf::serializer& sink, Ts... values) {
  return sink(values...);
}

template <class Enum>
caf::error read_enum(caf::deserializer& source, Enum& value, bool (*is_valid)(Enum)) {
  uint8_t number = 0;
  if (auto error = source(number)) return error;
  value = static_cast<Enum>(number);
  return is_valid(value) ? caf::error() : bad("no such number in an enumeration");
}

bool is_valid_code(Code code) { return code <= last_code; }

caf::error write_shape(caf::serializer& sink, const Shape& shape) {
  if (auto error = write(sink, static_cast<int8_t>(shape.rank()))) return error;
  for (auto size : shape.sizes())
    if (auto error = write(sink, size)) return error;
  return {};
}

caf::error read_shape(caf::deserializer& source, Shape& shape) {
  int8_t rank = 0;
  if (auto error = source(rank)) return error;
  if (rank < -1 || rank > Shape::max_rank) return bad("a shape of an impossible rank");
  if (rank == -1) {
    shape = Shape::unknown_rank();
    return {};
  }
  std::vector<int64_t> sizes(static_cast<size_t>(rank));
  for (auto& size : sizes)
    if (auto error = source(size)) return error;
  auto made = Shape::make(sizes);
  if (!made) return bad("a shape of impossible sizes");
  shape = *made;
  return {};
}

caf::error write_attrs(caf::serializer& sink, const Attrs& attrs);
caf::error read_attrs(caf::deserializer& source, Attrs& attrs, int function_nesting);

/// AttrWriter and AttrReader convert attribute values, one function for each type; a float is sent
/// as its bits.
struct AttrWriter {
  caf::serializer& sink;

  caf::error operator()(const Shape& value) { return write_shape(sink, value); }
  caf::error operator()(const Tensor& value) { return inspect(sink, const_cast<Tensor&>(value)); }
  caf::error operator()(DType value) { return write(sink, static_cast<uint8_t>(value)); }
  caf::error operator()(float value) { return write(sink, std::bit_cast<uint32_t>(value)); }
  caf::error operator()(const FunctionRef& value) {
    auto error = write(sink, value.name());
    return error ? error : write_attrs(sink, value.attrs());
  }
  template <class T>
  caf::error operator()(const T& value) {
    return write(sink, value);
  }
  template <class T>
  caf::error operator()(const std::vector<T>& values) {
    if (auto error = write(sink, static_cast<uint64_t>(values.size()))) return error;
    for (const auto& value : values)
      if (auto error = (*this)(value)) return error;
    return {};
  }
};

struct AttrReader {
  caf::deserializer& source;
  int function_nesting;  // of the value that is read: 0 in a node

  caf::error operator()(Shape& value) { return read_shape(source, value); }
  caf::error operator()(Tensor& value) { return inspect(source, value); }
  caf::error operator()(DType& value) { return read_enum(source, value, is_valid); }
  caf::error operator()(float& value) {
    uint32_t bits = 0;
    auto error = source(bits);
    value = std::bit_cast<float>(bits);
    return error;
  }
  caf::error operator()(FunctionRef& value) {
    if (function_nesting >= function_nesting_max) return bad("functions nested too deep");
    std::string name;
    Attrs attrs;
    if (auto error = source(name)) return error;
    if (auto error = read_attrs(source, attrs, function_nesting + 1)) return error;
    value = FunctionRef(std::move(name), attrs);
    return {};
  }
  template <class T>
  caf::error operator()(T& value) {
    return source(value);
  }
  template <class T>
  caf::error operator()(std::vector<T>& values) {
    uint64_t count = 0;
    if (auto error = source(count)) return error;
    if (count > attr_values_max) return bad("a list of more than a million values");
    for (; count > 0; --count) {  // memory is taken as values are read, not as they are announced
      T value{};
      if (auto error = (*this)(value)) return error;
      values.push_back(std::move(value));
    }
    return {};
  }

  template <size_t I = 0>
  caf::error read(size_t index, AttrValue& into) {
    if constexpr (I == std::variant_size_v<AttrValue::Variant>)
      return bad("no such attribute type");
    else {
      if (index != I) return read<I + 1>(index, into);
      std::variant_alternative_t<I, AttrValue::Variant> value{};
      auto error = (*this)(value);
      into = AttrValue(std::move(value));
      return error;
    }
  }
};

caf::error write_attrs(caf::serializer& sink, const Attrs& attrs) {
  if (auto error = write(sink, static_cast<uint32_t>(attrs.size()))) return error;
  for (const auto& [name, attr] : attrs) {
    if (auto error = write(sink, name, static_cast<uint8_t>(attr.type()))) return error;
    if (auto error = std::visit(AttrWriter{sink}, attr.variant())) return error;
  }
  return {};
}

caf::error read_attrs(caf::deserializer& source, Attrs& attrs, int function_nesting) {
  uint32_t count = 0;
  if (auto error = source(count)) return error;
  for (uint32_t i = 0; i < count; ++i) {
    std::string name;
    uint8_t type = 0;
    if (auto error = source(name, type)) return error;
    if (auto error = AttrReader{source, function_nesting}.read(type, attrs[name])) return error;
  }
  return {};
}

/// Whether the elements of the tensor are sent out of band, after the content.
bool is_out_of_band(DType dtype, const Shape& shape, const WireContext* context) {
  return context && context->next_out_of_band < out_of_band_max &&
         static_cast<uint64_t>(shape.elements()) >= out_of_band_bytes_min / size_of(dtype);
}

caf::error read_out_of_band(WireContext& context, DType dtype, const Shape& shape, Tensor& value) {
  if (context.next_out_of_band == context.out_of_band.size())
    return bad("a tensor without its elements");
  auto& bytes = context.out_of_band[context.next_out_of_band++];
  if (bytes.bytes() / size_of(dtype) != static_cast<uint64_t>(shape.elements()) ||
      bytes.bytes() % size_of(dtype) != 0)
    return bad("a tensor with the wrong number of elements");
  value = Tensor::alias(
      dtype, shape, bytes.mutable_raw(), [bytes] {}, bytes.allocator());
  return {};
}

caf::error read_plain(caf::deserializer& source, DType dtype, const Shape& shape, Tensor& value) {
  auto* context = WireContext::of(source.context());
  if (is_out_of_band(dtype, shape, context)) return read_out_of_band(*context, dtype, shape, value);
  if (!context && static_cast<uint64_t>(shape.elements()) > tensor_bytes_max / size_of(dtype))
    return bad("a tensor that is larger than a message");
  auto tensor = Tensor::allocate(dtype, shape);
  if (!tensor) return bad("no memory for a tensor");
  value = *std::move(tensor);
  return source.apply_raw(value.bytes(), value.mutable_raw());
}

/// Allocates memory as the strings are read, not as the shape announces: a short message could
/// announce a huge shape.
caf::error read_strings(caf::deserializer& source, const Shape& shape, Tensor& value) {
  std::vector<std::string> strings;
  for (int64_t i = 0; i < shape.elements(); ++i)
    if (auto error = source(strings.emplace_back())) return error;
  auto tensor = Tensor::allocate(DType::string, shape);
  if (!tensor) return bad("no memory for a tensor");
  value = *std::move(tensor);
  std::ranges::move(strings, value.mutable_data<std::string>());
  return {};
}

}  // namespace

size_t wire_bytes(const Tensor& tensor) {
  constexpr size_t header = 8 * (2 + Shape::max_rank), length = 10;
  if (!tensor.is_set()) return header;
  if (is_plain(tensor.dtype())) return header + tensor.bytes();
  size_t bytes = header;
  if (tensor.dtype() == DType::string)
    for (const auto& element : tensor.values<std::string>()) bytes += length + element.size();
  return bytes;
}

caf::error inspect(caf::serializer& sink, HandleField& value) {
  auto* context = WireContext::of(sink.context());
  return context ? write(sink, context->handles.number_of(value.actor)) : sink(value.actor);
}

caf::error inspect(caf::deserializer& source, HandleField& value) {
  auto* context = WireContext::of(source.context());
  if (!context) return source(value.actor);
  uint64_t number = 0;
  if (auto error = source(number)) return error;
  value.actor = context->handles.handle_of(number);
  return {};
}

caf::error inspect(caf::serializer& sink, Status& value) {
  const auto& where = value.where();
  return write(
      sink, static_cast<uint8_t>(value.code()), value.message(), where.node, where.op, where.device,
      where.task, value.notes());
}

caf::error inspect(caf::deserializer& source, Status& value) {
  Code code = Code::ok;
  if (auto error = read_enum(source, code, is_valid_code)) return error;
  std::string message;
  Where where;
  std::vector<std::string> notes;
  auto error = source(message, where.node, where.op, where.device, where.task, notes);
  value = Status(code, std::move(message), std::move(where));
  for (auto& note : notes) value = value.with_note(std::move(note));
  return error;
}

caf::error inspect(caf::serializer& sink, Wait& value) {
  return write(sink, value.device, value.node, value.op, value.what, value.peer, value.age.count());
}

caf::error inspect(caf::deserializer& source, Wait& value) {
  int64_t age_ms = 0;
  auto error = source(value.device, value.node, value.op, value.what, value.peer, age_ms);
  value.age = std::chrono::milliseconds(age_ms);
  return error;
}

caf::error inspect(caf::serializer& sink, QueueTraffic& value) {
  return write(
      sink, value.elements, std::bit_cast<uint64_t>(value.per_second),
      value.idle ? value.idle->count() : -1, value.waiting, value.waiters);
}

caf::error inspect(caf::deserializer& source, QueueTraffic& value) {
  uint64_t per_second = 0;
  int64_t idle_ms = -1;
  auto error = source(value.elements, per_second, idle_ms, value.waiting, value.waiters);
  value.per_second = std::bit_cast<double>(per_second);
  if (idle_ms >= 0) value.idle = std::chrono::milliseconds(idle_ms);
  return error;
}

caf::error inspect(caf::serializer& sink, ListedResource& value) {
  if (auto error = write_shape(sink, value.shape)) return error;
  if (auto error = write(
          sink, value.name.container, value.name.name, value.kind,
          static_cast<uint8_t>(value.dtype), value.bytes, value.device, value.idle.count(),
          value.queue.has_value()))
    return error;
  if (!value.queue) return {};
  if (auto error = write(sink, value.queue->capacity)) return error;
  if (auto error = inspect(sink, value.queue->enqueues)) return error;
  return inspect(sink, value.queue->dequeues);
}

caf::error inspect(caf::deserializer& source, ListedResource& value) {
  if (auto error = read_shape(source, value.shape)) return error;
  int64_t idle_ms = 0;
  if (auto error = source(value.name.container, value.name.name, value.kind)) return error;
  if (auto error = read_enum(source, value.dtype, is_valid)) return error;
  if (auto error = source(value.bytes, value.device, idle_ms)) return error;
  value.idle = std::chrono::milliseconds(idle_ms);
  auto is_queue = false;
  if (auto error = source(is_queue)) return error;
  if (!is_queue) return {};
  value.queue.emplace();
  if (auto error = source(value.queue->capacity)) return error;
  if (auto error = inspect(source, value.queue->enqueues)) return error;
  return inspect(source, value.queue->dequeues);
}

caf::error inspect(caf::serializer& sink, Tensor& value) {
  if (!value.is_set()) return write(sink, uint8_t{0});
  CHECK(!is_opaque(value.dtype()));
  if (auto error = write(sink, static_cast<uint8_t>(value.dtype()))) return error;
  if (auto error = write_shape(sink, value.shape())) return error;
  if (is_plain(value.dtype())) {
    auto* context = WireContext::of(sink.context());
    if (!is_out_of_band(value.dtype(), value.shape(), context))
      return sink.apply_raw(value.bytes(), const_cast<void*>(value.raw()));
    context->add(value);
    return {};
  }
  for (const auto& element : value.values<std::string>())
    if (auto error = write(sink, element)) return error;
  return {};
}

caf::error inspect(caf::deserializer& source, Tensor& value) {
  uint8_t number = 0;
  if (auto error = source(number)) return error;
  if (number == 0) {
    value = Tensor();
    return {};
  }
  auto dtype = static_cast<DType>(number);
  if (!is_valid(dtype) || is_opaque(dtype)) return bad("a tensor of no known dtype");
  Shape shape;
  if (auto error = read_shape(source, shape)) return error;
  if (!shape.is_known()) return bad("a tensor of unknown shape");
  if (is_plain(dtype)) return read_plain(source, dtype, shape, value);
  return read_strings(source, shape, value);
}

caf::error inspect(caf::serializer& sink, NodeDef& value) {
  if (auto error = write(sink, value.name, value.op, value.device, value.inputs)) return error;
  return write_attrs(sink, value.attrs);
}

caf::error inspect(caf::deserializer& source, NodeDef& value) {
  if (auto error = source(value.name, value.op, value.device, value.inputs)) return error;
  return read_attrs(source, value.attrs, /*function_nesting=*/0);
}

caf::error inspect(caf::serializer& sink, FunctionDef& value) {
  auto arguments = static_cast<uint32_t>(value.arguments.size());
  auto results = static_cast<uint32_t>(value.results.size());
  if (auto error = write(sink, value.name, arguments, results)) return error;
  for (const auto& [name, dtype, shape] : value.arguments) {
    if (auto error = write(sink, name, static_cast<uint8_t>(dtype))) return error;
    if (auto error = write_shape(sink, shape)) return error;
  }
  for (const auto& [name, output, dtype] : value.results)
    if (auto error = write(sink, name, output, static_cast<uint8_t>(dtype))) return error;
  return sink(value.nodes);
}

caf::error inspect(caf::deserializer& source, FunctionDef& value) {
  uint32_t arguments = 0, results = 0;
  if (auto error = source(value.name, arguments, results)) return error;
  for (; arguments > 0; --arguments) {
    auto& argument = value.arguments.emplace_back();
    if (auto error = source(argument.name)) return error;
    if (auto error = read_enum(source, argument.dtype, is_valid)) return error;
    if (auto error = read_shape(source, argument.shape)) return error;
  }
  for (; results > 0; --results) {
    auto& result = value.results.emplace_back();
    if (auto error = source(result.name, result.output)) return error;
    if (auto error = read_enum(source, result.dtype, is_valid)) return error;
  }
  return source(value.nodes);
}

}  // namespace troupe
