#include "troupe/graph/ops/fusion.hpp"

#include <algorithm>
#include <array>

namespace troupe::fusion {
namespace {

// Sorted. Their kernels read no attribute but T, and what BiasAdd has besides. What they compute of
// an element does not depend on its place, as that of Eigen's sines does.
constexpr auto of_one_operand = std::to_array<std::string_view>(
    {"Abs", "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Cosh", "Elu", "Erfc", "Exp",
     "Expm1", "Floor", "Inv", "Log", "Log1p", "Neg", "Reciprocal", "Relu", "Relu6", "Rint", "Round",
     "Rsqrt", "Selu", "Sigmoid", "Sign", "Sinh", "Softplus", "Softsign", "Sqrt", "Square", "Tan",
     "Tanh"});
constexpr auto of_two_operands = std::to_array<std::string_view>(
    {"Add", "AddV2", "Atan2", "Div", "DivNoNan", "Maximum", "Minimum", "Mul", "MulNoNan", "Pow",
     "RealDiv", "SquaredDifference", "Sub", "Xdivy", "Xlogy"});
constexpr auto of_one_shape = std::to_array<std::string_view>(
    {"BiasAdd", "EluGrad", "InvGrad", "ReciprocalGrad", "Relu6Grad", "ReluGrad", "RsqrtGrad",
     "SeluGrad", "SigmoidGrad", "SoftplusGrad", "SoftsignGrad", "SqrtGrad", "TanhGrad"});

constexpr auto reductions =
    std::to_array<std::string_view>({"Max", "Mean", "Min", "Prod", "Sum"});
constexpr auto passed_on = std::to_array<std::string_view>({"Identity", "StopGradient"});

template <size_t size>
bool contains(const std::array<std::string_view, size>& sorted, std::string_view op) {
  return std::ranges::binary_search(sorted, op);
}
static_assert(
    std::ranges::is_sorted(of_one_operand) && std::ranges::is_sorted(of_two_operands) &&
    std::ranges::is_sorted(of_one_shape));

struct Description {
  const std::vector<std::string>& names;
  const std::vector<std::string>& ops;
  const std::vector<int64_t>& operands;
  int64_t input_count;
  bool has_rows = false;
};

/// How many operands a part of a fused node has; 0 for an op that it cannot have.
int operands_of(const Description& from, std::string_view op) {
  if (!from.has_rows) return operand_count(op);
  return is_reduction(op) ? 2 : passes_on(op) ? 1 : operand_count(op);
}

/// The axes are the last input, and what reductions take as their second operand, and no other.
bool takes_axes_well(const Description& from, const Part& part) {
  if (!from.has_rows) return true;
  auto axes = static_cast<int>(from.input_count) - 1;
  auto place = std::ranges::find(part.operands, axes) - part.operands.begin();
  return place == (is_reduction(part.op) ? 1 : std::ssize(part.operands));
}

Result<std::vector<Part>> read_parts(const Description& from) {
  auto wrong = [](const std::string& what) { return invalid_argument("a fused node " + what); };
  if (from.ops.empty() || from.ops.size() > parts_max || from.names.size() != from.ops.size())
    return wrong("needs 1 to " + std::to_string(parts_max) + " ops, and a name for each");
  std::vector<Part> parts;
  size_t next = 0;
  for (size_t i = 0; i < from.ops.size(); ++i) {
    auto count = static_cast<size_t>(operands_of(from, from.ops[i]));
    if (count == 0) return wrong("cannot have a part of op '" + from.ops[i] + "'");
    auto& part = parts.emplace_back(Part{.name = from.names[i], .op = from.ops[i], .operands = {}});
    for (auto end = next + count; next < end; ++next) {
      auto known = from.input_count + static_cast<int64_t>(i);
      if (next >= from.operands.size() || from.operands[next] < 0 || from.operands[next] >= known)
        return wrong("needs operands that are inputs or earlier parts");
      part.operands.push_back(static_cast<int>(from.operands[next]));
    }
    if (!takes_axes_well(from, part)) return wrong("takes its axes for a value");
  }
  if (next != from.operands.size()) return wrong("has more operands than its parts take");
  return parts;
}

Shape shape_of(const Part& part, const Shapes& known) {
  const auto& first = known[static_cast<size_t>(part.operands[0])];
  if (!contains(of_two_operands, part.op)) return first;
  auto shape = broadcast(first, known[static_cast<size_t>(part.operands[1])]);
  return shape ? *shape : Shape::unknown_rank();  // the part's kernel will say it
}

using Texts = std::vector<std::string>;
using Numbers = std::vector<int64_t>;

Status infer_shape(ShapeInference& s) {
  auto parts = read_parts(
      {.names = s.attr<Texts>("names"),
       .ops = s.attr<Texts>("ops"),
       .operands = s.attr<Numbers>("operands"),
       .input_count = s.input_count()});
  if (!parts) return parts.status();
  auto known = s.inputs();
  for (const auto& part : *parts) known.push_back(shape_of(part, known));
  s.set(0, known.back());
  return {};
}

/// Of what a reduction makes of a shape; nothing is said of axes that it will refuse.
Shape reduced_shape(const Shape& shape, const std::optional<Numbers>& axes, bool keeps_dims) {
  if (!axes || !shape.has_rank()) return Shape::unknown_rank();
  std::array<bool, Shape::max_rank> is_reduced{};
  for (auto given : *axes) {
    auto axis = find_axis(given, shape.rank());
    if (!axis) return Shape::unknown_rank();
    is_reduced[static_cast<size_t>(*axis)] = true;
  }
  Numbers sizes;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (!is_reduced[static_cast<size_t>(axis)]) sizes.push_back(shape[axis]);
    else if (keeps_dims) sizes.push_back(1);
  }
  return Shape(std::span<const int64_t>(sizes));
}

Status infer_shape_of_rows(ShapeInference& s) {
  auto parts = read_parts(
      {.names = s.attr<Texts>("names"),
       .ops = s.attr<Texts>("ops"),
       .operands = s.attr<Numbers>("operands"),
       .input_count = s.input_count(),
       .has_rows = true});
  if (!parts) return parts.status();
  auto node_ends = s.attr<Numbers>("node_ends");
  auto is_split = !node_ends.empty() && node_ends.front() > 0 &&
                  std::ranges::is_sorted(node_ends, std::less_equal<>()) &&
                  node_ends.back() == std::ssize(*parts);
  if (!is_split) return invalid_argument("a fused node needs nodes that its parts were of");
  auto axes = s.constant_ints(s.input_count() - 1);
  auto known = s.inputs();
  for (const auto& part : *parts) {
    auto is_last = known.size() + 1 == s.inputs().size() + parts->size();
    auto keeps_dims = !is_last || s.attr<bool>("keep_dims");
    known.push_back(
        is_reduction(part.op)
            ? reduced_shape(known[static_cast<size_t>(part.operands[0])], axes, keeps_dims)
            : shape_of(part, known));
  }
  s.set(0, known.back());
  return {};
}

}  // namespace

int operand_count(std::string_view op) {
  if (contains(of_one_operand, op)) return 1;
  return contains(of_two_operands, op) || contains(of_one_shape, op) ? 2 : 0;
}

bool is_reduction(std::string_view op) { return contains(reductions, op); }

bool passes_on(std::string_view op) { return contains(passed_on, op); }

Attrs attrs_of_part(std::string_view op, DType dtype) {
  Attrs attrs{{"T", dtype}};
  if (op == "BiasAdd") attrs.emplace("data_format", "NHWC");
  return attrs;
}

bool fits_part(std::string_view op, const Attrs& attrs) {
  auto found = attrs.find("T");
  const auto* dtype = found == attrs.end() ? nullptr : found->second.get<DType>();
  if (!dtype || !std::ranges::count(floating(), *dtype)) return false;
  // Those of tools say nothing of what the node computes.
  auto is_meant = [](const auto& attr) { return !attr.first.starts_with('_'); };
  auto wanted = attrs_of_part(op, *dtype);
  if (is_reduction(op))
    for (const auto* name : {"Tidx", "keep_dims"})
      if (auto given = attrs.find(name); given != attrs.end()) wanted.insert(*given);
  return std::ranges::count_if(attrs, is_meant) == std::ssize(wanted) &&
         std::ranges::all_of(wanted, [&](const auto& attr) {
           auto given = attrs.find(attr.first);
           return given != attrs.end() && given->second == attr.second;
         });
}

Attrs to_attrs(const std::vector<Part>& parts, DType dtype, size_t input_count) {
  std::vector<std::string> names, ops;
  std::vector<int64_t> operands;
  for (const auto& part : parts) {
    names.push_back(part.name);
    ops.push_back(part.op);
    operands.insert(operands.end(), part.operands.begin(), part.operands.end());
  }
  return {
      {"T", dtype},
      {"N", input_count},
      {"names", std::move(names)},
      {"ops", std::move(ops)},
      {"operands", std::move(operands)}};
}

Result<std::vector<Part>> find_parts(const Attrs& attrs) {
  auto get = [&]<class T>(const char* name, const T*& value) {
    auto found = attrs.find(name);
    value = found == attrs.end() ? nullptr : found->second.template get<T>();
    return value != nullptr;
  };
  const Texts *names = nullptr, *ops = nullptr;
  const Numbers* operands = nullptr;
  const int64_t* count = nullptr;
  if (!get("names", names) || !get("ops", ops) || !get("operands", operands) || !get("N", count))
    return invalid_argument("a fused node needs the attributes that say its parts");
  auto has_rows = attrs.contains("node_ends");
  return read_parts(
      {.names = *names,
       .ops = *ops,
       .operands = *operands,
       .input_count = *count + (has_rows ? 1 : 0),
       .has_rows = has_rows});
}

std::vector<Part> parts_of(const Attrs& attrs) {
  auto parts = find_parts(attrs);
  CHECK(parts);
  return *std::move(parts);
}

void add_ops(OpCatalog& catalog) {
  auto fused = [](const char* name, const char* doc) {
    return Op(name)
        .doc(doc)
        .inputs("inputs", "T", "N")
        .output("output", "T")
        .attr("T", floating())
        .attr("N", AttrType::integer)
        .attr_at_least("N", 1)
        .attr("names", AttrType::strings)
        .attr("ops", AttrType::strings)
        .attr("operands", AttrType::integers);
  };
  catalog.add(fused(op, "Several element-wise nodes, computed in one pass over memory.")
      .infer_shape(infer_shape));
  catalog.add(fused(rows_op, "Element-wise nodes and reductions of rows, computed row by row.")
      .input("axes", "Tidx")
      .attr("Tidx", indexing())
      .attr("node_ends", AttrType::integers)
      .attr("keep_dims", AttrType::boolean)
      .infer_shape(infer_shape_of_rows));
}

}  // namespace troupe::fusion
