#include "troupe/devices/resources/queue/queue_spec.hpp"

#include <algorithm>

#include "troupe/graph/ops/handle.hpp"
#include "troupe/graph/ops/queue/queue.hpp"

namespace troupe {
namespace {

QueueKind kind_of(std::string_view op) {
  if (op.starts_with("RandomShuffleQueue")) return QueueKind::random_shuffle;
  if (op.starts_with("PaddingFIFOQueue")) return QueueKind::padding_fifo;
  if (op.starts_with("PriorityQueue")) return QueueKind::priority;
  return QueueKind::fifo;
}

template <class T, class F>
std::string list_text(const std::vector<T>& items, const F& text_of) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + text_of(item);
  return "[" + text + "]";
}
std::string text_of(const DTypes& dtypes) {
  return list_text(dtypes, [](DType dtype) { return std::string(to_string(dtype)); });
}
std::string text_of(const Shapes& shapes) {
  return list_text(shapes, [](const Shape& shape) { return shape.to_string(); });
}

int64_t capacity_bytes_of(const Node& handle) {
  auto found = handle.attrs.find(queue::capacity_bytes_attr);
  auto* bytes = found == handle.attrs.end() ? nullptr : found->second.get<int64_t>();
  return bytes ? std::max<int64_t>(*bytes, 0) : 0;
}

Status check_random(const QueueSpec& spec) {
  auto least = "min_after_dequeue " + std::to_string(spec.min_after_dequeue);
  if (spec.min_after_dequeue < 0) return invalid_argument(least + " must be >= 0");
  if (spec.min_after_dequeue >= spec.capacity)
    return invalid_argument(least + " must be < capacity " + std::to_string(spec.capacity));
  return {};
}

Status check_padding(const QueueSpec& spec) {
  if (spec.dtypes.size() != spec.shapes.size())
    return invalid_argument(
        "Shapes must be provided for all components, but received " +
        std::to_string(spec.dtypes.size()) + " dtypes and " + std::to_string(spec.shapes.size()) +
        " shapes.");
  for (const auto& shape : spec.shapes)
    if (!shape.has_rank())
      return invalid_argument("shape " + shape.to_string() + " must have known rank.");
  return {};
}

Status check_spec(const QueueSpec& spec) {
  for (auto dtype : spec.dtypes)
    if (!is_plain(dtype) && dtype != DType::string)
      return unimplemented(std::string("there are no queues of ") + to_string(dtype));
  if (spec.kind == QueueKind::padding_fifo) return check_padding(spec);
  if (!spec.shapes.empty() && spec.shapes.size() != spec.dtypes.size())
    return invalid_argument(
        "Different number of component types.  Types: " + text_of(spec.dtypes) +
        ", Shapes: " + text_of(spec.shapes));
  for (const auto& shape : spec.shapes)
    if (!shape.is_known())
      return invalid_argument(
          "the shapes of a " + std::string(to_string(spec.kind)) + " must be known, but one is " +
          shape.to_string() + "; a PaddingFIFOQueue has elements of different sizes");
  return spec.kind == QueueKind::random_shuffle ? check_random(spec) : Status();
}

bool is_batch_of(const Shape& element, int64_t count, const Shape& shape) {
  if (!shape.has_rank() || shape.rank() != element.rank() + 1 || shape[0] != count) return false;
  for (int axis = 0; axis < element.rank(); ++axis)
    if (element[axis] != Shape::unknown && element[axis] != shape[axis + 1]) return false;
  return true;
}

std::string batch_text(const Shape& element, int64_t count) {
  auto text = "[" + std::to_string(count);
  for (auto size : element.sizes())
    text += "," + (size == Shape::unknown ? std::string("?") : std::to_string(size));
  return text + "]";
}

Status shape_mismatch(size_t component, const std::string& expected, const Shape& given) {
  return invalid_argument(
      "Shape mismatch in tuple component " + std::to_string(component) + ". Expected " + expected +
      ", got " + given.to_string());
}

}  // namespace

const char* to_string(QueueKind kind) {
  switch (kind) {
    case QueueKind::fifo: return "FIFOQueue";
    case QueueKind::random_shuffle: return "RandomShuffleQueue";
    case QueueKind::padding_fifo: return "PaddingFIFOQueue";
    case QueueKind::priority: return "PriorityQueue";
  }
  CHECK(false);
}

Result<QueueSpec> QueueSpec::of(const Node& handle) {
  QueueSpec spec{
      .kind = kind_of(handle.op->name()),
      .name = handle.attr<std::string>("shared_name"),
      .dtypes = handle.attr<DTypes>("component_types"),
      .shapes = handle.attr<Shapes>("shapes"),
      .capacity = handle.attr<int64_t>("capacity"),
      .capacity_bytes = static_cast<uint64_t>(capacity_bytes_of(handle))};
  if (spec.name.empty()) spec.name = "_0_" + handle.name;
  if (spec.capacity < 0) spec.capacity = unbounded;
  if (spec.kind == QueueKind::priority) {
    spec.dtypes.insert(spec.dtypes.begin(), DType::int64);
    if (!spec.shapes.empty() || spec.dtypes.size() == 1)
      spec.shapes.insert(spec.shapes.begin(), Shape());
  }
  if (spec.kind == QueueKind::random_shuffle) {
    spec.min_after_dequeue = handle.attr<int64_t>("min_after_dequeue");
    spec.seed = handle.attr<int64_t>("seed");
    spec.seed2 = handle.attr<int64_t>("seed2");
  }
  if (auto status = check_spec(spec); !status.ok()) return status;
  return spec;
}

Status QueueSpec::check_dtypes(const Tensors& components) const {
  if (components.size() != dtypes.size())
    return invalid_argument(
        "Wrong number of components in tuple. Expected " + std::to_string(dtypes.size()) +
        ", got " + std::to_string(components.size()));
  for (size_t i = 0; i < dtypes.size(); ++i)
    if (components[i].dtype() != dtypes[i])
      return invalid_argument(
          "Type mismatch in tuple component " + std::to_string(i) + ". Expected " +
          to_string(dtypes[i]) + ", got " + to_string(components[i].dtype()));
  return {};
}

Status QueueSpec::check_element(const Tensors& components) const {
  if (auto status = check_dtypes(components); !status.ok()) return status;
  for (size_t i = 0; i < shapes.size(); ++i)
    if (!shapes[i].is_compatible_with(components[i].shape()))
      return shape_mismatch(i, shapes[i].to_string(), components[i].shape());
  if (kind == QueueKind::priority && !components[0].shape().is_scalar())
    return invalid_argument(
        "Expected the priority element to be a scalar, but received shape: " +
        components[0].shape().to_string());
  return {};
}

Status QueueSpec::check_batch(const Tensors& components) const {
  if (auto status = check_dtypes(components); !status.ok()) return status;
  for (size_t i = 0; i < components.size(); ++i)
    if (components[i].shape().is_scalar())
      return invalid_argument(
          "component " + std::to_string(i) + " is a scalar, but its rows are to be the elements");
  auto count = components[0].shape()[0];
  for (size_t i = 0; i < shapes.size(); ++i)
    if (!is_batch_of(shapes[i], count, components[i].shape()))
      return shape_mismatch(i, batch_text(shapes[i], count), components[i].shape());
  for (size_t i = 1; i < components.size(); ++i)
    if (components[i].shape()[0] != count)
      return invalid_argument(
          "All input tensors must have the same size in the 0th dimension. Component " +
          std::to_string(i) + " has " + std::to_string(components[i].shape()[0]) +
          ", and should have " + std::to_string(count));
  if (kind == QueueKind::priority && components[0].shape().rank() != 1)
    return invalid_argument(
        "Expected the priority element to be a scalar, but received rows of shape: " +
        components[0].shape().to_string());
  return {};
}

Status QueueSpec::check_declared(const Node& handle) const {
  auto declared = QueueSpec::of(handle);
  if (!declared) return declared.status();
  auto differs = [&](const char* what, const std::string& has, const std::string& requested) {
    return invalid_argument(
        "Shared queue '" + name + "' has " + what + " " + has + " but requested " + what +
        (std::string_view(what).ends_with('s') ? " were " : " was ") + requested);
  };
  if (kind != declared->kind)
    return invalid_argument(
        "Shared queue '" + name + "' has type '" + to_string(kind) +
        "' that does not match type of Node '" + handle.name + "': " + handle.op->name());
  if (capacity != declared->capacity)
    return differs("capacity", std::to_string(capacity), std::to_string(declared->capacity));
  if (capacity_bytes != declared->capacity_bytes)
    return differs(
        "capacity in bytes", std::to_string(capacity_bytes),
        std::to_string(declared->capacity_bytes));
  if (dtypes != declared->dtypes)
    return differs("component types", text_of(dtypes), text_of(declared->dtypes));
  auto is_compatible = [](const Shape& a, const Shape& b) { return a.is_compatible_with(b); };
  auto has_same_shapes = kind == QueueKind::padding_fifo
                             ? std::ranges::equal(shapes, declared->shapes, is_compatible)
                             : shapes == declared->shapes;
  if (!has_same_shapes)
    return differs("component shapes", text_of(shapes), text_of(declared->shapes));
  if (min_after_dequeue != declared->min_after_dequeue)
    return differs(
        "min_after_dequeue", std::to_string(min_after_dequeue),
        std::to_string(declared->min_after_dequeue));
  if ((declared->seed != 0 || declared->seed2 != 0) &&
      (seed != declared->seed || seed2 != declared->seed2))
    return differs(
        "random seeds", "(" + std::to_string(seed) + ", " + std::to_string(seed2) + ")",
        "(" + std::to_string(declared->seed) + ", " + std::to_string(declared->seed2) + ")");
  return {};
}

}  // namespace troupe
