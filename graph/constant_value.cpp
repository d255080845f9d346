#include <algorithm>
#include <limits>
#include <map>

#include "troupe/graph/graph.hpp"

namespace troupe {
namespace {

// Sizes, axes and slices are short; other tensors are not worth the time.
constexpr int64_t elements_max = 64;
// The nodes that are looked at for one value, so that no graph makes it expensive.
constexpr int nodes_max = 64;
// An element that is not known.
constexpr int64_t open = std::numeric_limits<int64_t>::min();

using Ints = std::vector<int64_t>;
using SizeArithmetic = int64_t (*)(int64_t, int64_t);

int64_t add(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? open : result;
}
int64_t subtract(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_sub_overflow(a, b, &result) ? open : result;
}
int64_t multiply(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? open : result;
}
int64_t divide(int64_t a, int64_t b) { return b == 0 ? open : a / b; }
int64_t divide_down(int64_t a, int64_t b) {
  if (b == 0) return open;
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t modulo(int64_t a, int64_t b) { return b == 0 ? open : a - divide_down(a, b) * b; }
int64_t power(int64_t a, int64_t b) {
  if (b < 0) return open;
  if (a == 0 || a == 1) return b == 0 ? 1 : a;
  if (a == -1) return b % 2 == 0 ? 1 : -1;
  int64_t result = 1;
  for (; b > 0 && result != open; --b) result = multiply(result, a);
  return result;
}
int64_t greater(int64_t a, int64_t b) { return std::max(a, b); }
int64_t less(int64_t a, int64_t b) { return std::min(a, b); }

int64_t apply(SizeArithmetic function, int64_t a, int64_t b) {
  return a == open || b == open ? open : function(a, b);
}

SizeArithmetic find(
    const std::map<std::string_view, SizeArithmetic>& functions, std::string_view op) {
  auto found = functions.find(op);
  return found == functions.end() ? nullptr : found->second;
}

SizeArithmetic elementwise(std::string_view op) {
  static const std::map<std::string_view, SizeArithmetic> functions = {
      {"Add", add},
      {"AddV2", add},
      {"Sub", subtract},
      {"Mul", multiply},
      {"Div", divide},
      {"TruncateDiv", divide},
      {"FloorDiv", divide_down},
      {"FloorMod", modulo},
      {"Maximum", greater},
      {"Minimum", less},
      {"Pow", power},
  };
  return find(functions, op);
}

SizeArithmetic reduction(std::string_view op) {
  static const std::map<std::string_view, SizeArithmetic> functions = {
      {"Sum", add}, {"Prod", multiply}, {"Max", greater}, {"Min", less}};
  return find(functions, op);
}

/// The elements of int32 and int64 tensors with few of them, as far as they follow from constants
/// and from the shapes of tensors.
class SmallInts {
 public:
  explicit SmallInts(const Graph& graph) : graph_(graph) {}

  /// As many as the tensor has, `open` where one is not known; nothing if all are open.
  std::optional<Ints> of(Output output) {
    const auto& node = graph_.node(output.node);
    auto dtype = graph_.dtype_of(output);
    const auto& shape = graph_.shape_of(output);
    if (dtype != DType::int32 && dtype != DType::int64) return std::nullopt;
    if (!shape.is_known() || shape.elements() > elements_max) return std::nullopt;
    if (node.op->name() == "Const") return to_ints(node.attr<Tensor>("value"));
    if (nodes_left_ == 0) return std::nullopt;
    --nodes_left_;
    auto values = computed(node, output.index, static_cast<size_t>(shape.elements()));
    if (!values || values->size() != static_cast<size_t>(shape.elements())) return std::nullopt;
    for (auto& value : *values)
      if (dtype == DType::int32 && value != static_cast<int32_t>(value)) value = open;
    return values;
  }

 private:
  using Rule = std::optional<Ints> (SmallInts::*)(const Node&, size_t);

  std::optional<Ints> computed(const Node& node, int index, size_t count) {
    static const std::map<std::string_view, Rule> rules = {
        {"Cast", &SmallInts::same},
        {"ConcatV2", &SmallInts::concat},
        {"EnsureShape", &SmallInts::same},
        {"Enter", &SmallInts::same},
        {"ExpandDims", &SmallInts::same},
        {"Fill", &SmallInts::fill},
        {"GatherV2", &SmallInts::gather},
        {"Identity", &SmallInts::same},
        {"Pack", &SmallInts::pack},
        {"Range", &SmallInts::range},
        {"Rank", &SmallInts::rank},
        {"Reshape", &SmallInts::same},
        {"ReverseV2", &SmallInts::reverse},
        {"Size", &SmallInts::size},
        {"Slice", &SmallInts::slice},
        {"Squeeze", &SmallInts::same},
        {"StridedSlice", &SmallInts::strided_slice},
        {"Switch", &SmallInts::same},
        {"Tile", &SmallInts::tile},
    };
    const auto& op = node.op->name();
    if (op == "Shape" || op == "ShapeN")
      return sizes(graph_.shape_of(node.inputs[static_cast<size_t>(index)]));
    if (op == "Split") return part(node, node.inputs[1], index, count);
    if (op == "SplitV" || op == "Unpack") return part(node, node.inputs[0], index, count);
    if (auto function = elementwise(op)) return combine(node, function, count);
    if (auto function = reduction(op)) return reduce(node, function, count);
    auto rule = rules.find(op);
    return rule == rules.end() ? std::nullopt : (this->*rule->second)(node, count);
  }

  static std::optional<Ints> sizes(const Shape& shape) {
    if (!shape.has_rank()) return std::nullopt;
    Ints found(shape.sizes().begin(), shape.sizes().end());
    std::ranges::replace(found, Shape::unknown, open);
    return found;
  }

  int64_t scalar(Output output) {
    if (!graph_.shape_of(output).is_scalar()) return open;
    auto found = of(output);
    return found ? found->front() : open;
  }

  std::optional<Ints> same(const Node& node, size_t) { return of(node.inputs[0]); }

  std::optional<Ints> fill(const Node& node, size_t count) {
    return Ints(count, scalar(node.inputs[1]));
  }

  std::optional<Ints> rank(const Node& node, size_t) {
    const auto& shape = graph_.shape_of(node.inputs[0]);
    return shape.has_rank() ? std::optional(Ints{shape.rank()}) : std::nullopt;
  }

  std::optional<Ints> size(const Node& node, size_t) {
    const auto& shape = graph_.shape_of(node.inputs[0]);
    return shape.is_known() ? std::optional(Ints{shape.elements()}) : std::nullopt;
  }

  std::optional<Ints> range(const Node& node, size_t count) {
    auto value = scalar(node.inputs[0]), step = scalar(node.inputs[2]);
    Ints values;
    for (size_t i = 0; i < count; ++i, value = apply(add, value, step)) values.push_back(value);
    return values;
  }

  /// Of scalars.
  std::optional<Ints> pack(const Node& node, size_t) {
    Ints values;
    for (auto input : node.inputs) values.push_back(scalar(input));
    return values;
  }

  /// Of vectors.
  std::optional<Ints> concat(const Node& node, size_t) {
    Ints values;
    for (size_t i = 0; i + 1 < node.inputs.size(); ++i) {
      const auto& shape = graph_.shape_of(node.inputs[i]);
      if (shape.rank() != 1 || shape[0] < 0) return std::nullopt;
      auto part = of(node.inputs[i]).value_or(Ints(static_cast<size_t>(shape[0]), open));
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }

  /// Elements of a vector, by their places.
  std::optional<Ints> chosen(Output vector, const std::vector<int64_t>& places) {
    if (graph_.shape_of(vector).rank() != 1) return std::nullopt;
    auto from = of(vector);
    Ints values;
    for (auto place : places) {
      if (!from || place < 0 || place >= static_cast<int64_t>(from->size())) return std::nullopt;
      values.push_back((*from)[static_cast<size_t>(place)]);
    }
    return values;
  }

  std::optional<Ints> gather(const Node& node, size_t) {
    auto places = of(node.inputs[1]);
    return places ? chosen(node.inputs[0], *places) : std::nullopt;
  }

  std::optional<Ints> slice(const Node& node, size_t count) {
    auto begin = of(node.inputs[1]);
    if (!begin || begin->size() != 1) return std::nullopt;
    return chosen(node.inputs[0], run(begin->front(), 1, count));
  }

  std::optional<Ints> strided_slice(const Node& node, size_t count) {
    auto begin = of(node.inputs[1]), step = of(node.inputs[3]);
    const auto& vector = graph_.shape_of(node.inputs[0]);
    if (!begin || begin->size() != 1 || !step || step->front() == open || vector.rank() != 1 ||
        node.attr<int64_t>("ellipsis_mask") != 0 || node.attr<int64_t>("new_axis_mask") != 0)
      return std::nullopt;
    auto first = begin->front(), size = vector[0];
    if (node.attr<int64_t>("begin_mask") != 0) first = step->front() < 0 ? size - 1 : 0;
    else if (first == open) return std::nullopt;
    else if (first < 0) first = std::max(first + size, int64_t{0});
    if (step->front() < 0) first = std::min(first, size - 1);
    return chosen(node.inputs[0], run(first, step->front(), count));
  }

  /// An output of a node whose outputs are the parts of a vector, one after the other.
  std::optional<Ints> part(const Node& node, Output vector, int index, size_t count) {
    int64_t first = 0;
    for (int i = 0; i < index; ++i) {
      const auto& before = graph_.shape_of({node.id, i});
      if (!before.is_known()) return std::nullopt;
      first += before.elements();
    }
    return chosen(vector, run(first, 1, count));
  }

  std::optional<Ints> reverse(const Node& node, size_t count) {
    auto axes = of(node.inputs[1]);
    if (!axes || axes->size() != 1) return std::nullopt;
    return chosen(node.inputs[0], run(static_cast<int64_t>(count) - 1, -1, count));
  }

  /// Of a vector.
  std::optional<Ints> tile(const Node& node, size_t count) {
    auto once = of(node.inputs[0]);
    if (!once || once->empty() || graph_.shape_of(node.inputs[0]).rank() != 1) return std::nullopt;
    Ints values;
    for (size_t i = 0; i < count; ++i) values.push_back((*once)[i % once->size()]);
    return values;
  }

  static std::vector<int64_t> run(int64_t first, int64_t step, size_t count) {
    std::vector<int64_t> places;
    for (size_t i = 0; i < count; ++i, first = apply(add, first, step)) places.push_back(first);
    return places;
  }

  /// Of inputs with as many elements as the result, or one.
  std::optional<Ints> combine(const Node& node, SizeArithmetic function, size_t count) {
    auto a = of(node.inputs[0]), b = of(node.inputs[1]);
    if (!a || !b) return std::nullopt;
    if (a->size() == 1) a->resize(count, a->front());
    if (b->size() == 1) b->resize(count, b->front());
    if (a->size() != count || b->size() != count) return std::nullopt;
    for (size_t i = 0; i < count; ++i) (*a)[i] = apply(function, (*a)[i], (*b)[i]);
    return a;
  }

  /// To one element, which is then that of all elements of the input.
  std::optional<Ints> reduce(const Node& node, SizeArithmetic function, size_t count) {
    auto values = of(node.inputs[0]);
    if (!values || count != 1) return std::nullopt;
    if (values->empty()) {
      if (function == add) return Ints{0};
      return function == multiply ? std::optional(Ints{1}) : std::nullopt;
    }
    auto result = values->front();
    for (size_t i = 1; i < values->size(); ++i) result = apply(function, result, (*values)[i]);
    return Ints{result};
  }

  const Graph& graph_;
  int nodes_left_ = nodes_max;
};

}  // namespace

std::optional<Tensor> Graph::constant_value(Output output) const {
  const auto& source = node(output.node);
  if (source.op->name() == "Const") return source.attr<Tensor>("value");
  auto values = SmallInts(*this).of(output);
  if (!values || std::ranges::count(*values, open)) return std::nullopt;
  if (dtype_of(output) == DType::int64)
    return Tensor::of<int64_t>(shape_of(output), std::span<const int64_t>(*values));
  std::vector<int32_t> narrow(values->begin(), values->end());
  return Tensor::of<int32_t>(shape_of(output), std::span<const int32_t>(narrow));
}

Shape Graph::constant_value_as_shape(Output sizes) const {
  const auto& vector = shape_of(sizes);
  if (!vector.is_known() || vector.rank() != 1 || vector[0] > Shape::max_rank)
    return Shape::unknown_rank();
  auto shape = Shape::of_rank(static_cast<int>(vector[0]));
  auto known = SmallInts(*this).of(sizes);
  for (int axis = 0; known && axis < shape.rank(); ++axis) {
    auto size = (*known)[static_cast<size_t>(axis)];
    if (size != open) shape.set(axis, std::max(size, Shape::unknown));
  }
  return shape;
}

}  // namespace troupe
