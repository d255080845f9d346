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
};

Result<std::vector<Part>> read_parts(const Description& from) {
  auto wrong = [](const std::string& what) { return invalid_argument("a fused node " + what); };
  if (from.ops.empty() || from.ops.size() > parts_max || from.names.size() != from.ops.size())
    return wrong("needs 1 to " + std::to_string(parts_max) + " ops, and a name for each");
  std::vector<Part> parts;
  size_t next = 0;
  for (size_t i = 0; i < from.ops.size(); ++i) {
    auto count = static_cast<size_t>(operand_count(from.ops[i]));
    if (count == 0) return wrong("cannot have a part of op '" + from.ops[i] + "'");
    auto& part = parts.emplace_back(Part{.name = from.names[i], .op = from.ops[i], .operands = {}});
    for (auto end = next + count; next < end; ++next) {
      auto known = from.input_count + static_cast<int64_t>(i);
      if (next >= from.operands.size() || from.operands[next] < 0 || from.operands[next] >= known)
        return wrong("needs operands that are inputs or earlier parts");
      part.operands.push_back(static_cast<int>(from.operands[next]));
    }
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

Status infer_shape(ShapeInference& s) {
  using Texts = std::vector<std::string>;
  auto parts = read_parts(
      {.names = s.attr<Texts>("names"),
       .ops = s.attr<Texts>("ops"),
       .operands = s.attr<std::vector<int64_t>>("operands"),
       .input_count = s.input_count()});
  if (!parts) return parts.status();
  auto known = s.inputs();
  for (const auto& part : *parts) known.push_back(shape_of(part, known));
  s.set(0, known.back());
  return {};
}

}  // namespace

int operand_count(std::string_view op) {
  if (contains(of_one_operand, op)) return 1;
  return contains(of_two_operands, op) || contains(of_one_shape, op) ? 2 : 0;
}

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

std::vector<Part> parts_of(const Attrs& attrs) {
  using Texts = std::vector<std::string>;
  auto parts = read_parts(
      {.names = *attrs.at("names").get<Texts>(),
       .ops = *attrs.at("ops").get<Texts>(),
       .operands = *attrs.at("operands").get<std::vector<int64_t>>(),
       .input_count = *attrs.at("N").get<int64_t>()});
  CHECK(parts);
  return *std::move(parts);
}

void add_op(OpCatalog& catalog) {
  catalog.add(Op(op)
      .doc("Several element-wise nodes, computed in one pass over memory.")
      .inputs("inputs", "T", "N")
      .output("output", "T")
      .attr("T", floating())
      .attr("N", AttrType::integer)
      .attr_at_least("N", 1)
      .attr("names", AttrType::strings)
      .attr("ops", AttrType::strings)
      .attr("operands", AttrType::integers)
      .infer_shape(infer_shape));
}

}  // namespace troupe::fusion
