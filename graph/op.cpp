#include "troupe/graph/op.hpp"

#include <algorithm>
#include <numeric>

#include "troupe/graph/ops/loaded_ops.hpp"

namespace troupe {

Op&& Op::doc(std::string text) && {
  doc_ = std::move(text);
  return std::move(*this);
}
Op&& Op::input(std::string name, std::string dtype_attr) && {
  inputs_.push_back({.name = std::move(name), .dtype_attr = std::move(dtype_attr)});
  return std::move(*this);
}
Op&& Op::input(std::string name, DType dtype) && {
  inputs_.push_back({.name = std::move(name), .dtype = dtype});
  return std::move(*this);
}
Op&& Op::output(std::string name, std::string dtype_attr) && {
  outputs_.push_back({.name = std::move(name), .dtype_attr = std::move(dtype_attr)});
  return std::move(*this);
}
Op&& Op::output(std::string name, DType dtype) && {
  outputs_.push_back({.name = std::move(name), .dtype = dtype});
  return std::move(*this);
}
Op&& Op::ref_input(std::string name, std::string dtype_attr) && {
  inputs_.push_back({.name = std::move(name), .is_ref = true, .dtype_attr = std::move(dtype_attr)});
  return std::move(*this);
}
Op&& Op::ref_output(std::string name, std::string dtype_attr) && {
  outputs_.push_back(
      {.name = std::move(name), .is_ref = true, .dtype_attr = std::move(dtype_attr)});
  return std::move(*this);
}
Op&& Op::ref_input(std::string name, DType dtype) && {
  inputs_.push_back({.name = std::move(name), .dtype = dtype, .is_ref = true});
  return std::move(*this);
}
Op&& Op::ref_output(std::string name, DType dtype) && {
  outputs_.push_back({.name = std::move(name), .dtype = dtype, .is_ref = true});
  return std::move(*this);
}
Op&& Op::ref_inputs(std::string name, std::string dtype_attr, std::string count_attr) && {
  inputs_.push_back(
      {.name = std::move(name),
       .is_ref = true,
       .dtype_attr = std::move(dtype_attr),
       .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::ref_inputs(std::string name, DType dtype, std::string count_attr) && {
  inputs_.push_back(
      {.name = std::move(name),
       .dtype = dtype,
       .is_ref = true,
       .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::inputs(std::string name, std::string dtype_attr, std::string count_attr) && {
  inputs_.push_back(
      {.name = std::move(name),
       .dtype_attr = std::move(dtype_attr),
       .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::outputs(std::string name, std::string dtype_attr, std::string count_attr) && {
  outputs_.push_back(
      {.name = std::move(name),
       .dtype_attr = std::move(dtype_attr),
       .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::inputs(std::string name, DType dtype, std::string count_attr) && {
  inputs_.push_back({.name = std::move(name), .dtype = dtype, .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::outputs(std::string name, DType dtype, std::string count_attr) && {
  outputs_.push_back(
      {.name = std::move(name), .dtype = dtype, .count_attr = std::move(count_attr)});
  return std::move(*this);
}
Op&& Op::inputs(std::string name, std::string dtypes_attr) && {
  inputs_.push_back({.name = std::move(name), .dtypes_attr = std::move(dtypes_attr)});
  return std::move(*this);
}
Op&& Op::outputs(std::string name, std::string dtypes_attr) && {
  outputs_.push_back({.name = std::move(name), .dtypes_attr = std::move(dtypes_attr)});
  return std::move(*this);
}
Op&& Op::attr(std::string name, AttrValue fallback) && {
  auto type = fallback.type();
  attrs_.push_back({.name = std::move(name), .type = type, .fallback = std::move(fallback)});
  return std::move(*this);
}
Op&& Op::attr(std::string name, AttrType type) && {
  attrs_.push_back({.name = std::move(name), .type = type});
  return std::move(*this);
}
Op&& Op::attr(std::string name, DTypes allowed, std::optional<DType> fallback) && {
  attrs_.push_back(
      {.name = std::move(name), .type = AttrType::dtype, .allowed_dtypes = std::move(allowed)});
  if (fallback) attrs_.back().fallback = *fallback;
  return std::move(*this);
}
Op&& Op::attr(std::string name, std::string fallback, std::vector<std::string> allowed) && {
  attrs_.push_back(
      {.name = std::move(name),
       .type = AttrType::string,
       .fallback = std::move(fallback),
       .allowed_strings = std::move(allowed)});
  return std::move(*this);
}
Op&& Op::attr_at_least(std::string name, int64_t minimum) && {
  auto rule = std::ranges::find(attrs_, name, &AttrRule::name);
  CHECK(rule != attrs_.end());
  rule->minimum = minimum;
  return std::move(*this);
}
Op&& Op::infer_shape(InferShape infer) && {
  infer_shape_ = std::move(infer);
  return std::move(*this);
}
Op&& Op::gradient(MakeGradient make) && {
  gradient_ = std::move(make);
  return std::move(*this);
}
Op&& Op::stateful() && {
  stateful_ = true;
  return std::move(*this);
}
Op&& Op::resource_handle() && {
  CHECK(find_attr("container") && find_attr("shared_name"));
  resource_handle_ = true;
  return std::move(*this).stateful();
}

Op&& Op::named_resource() && {
  CHECK(find_attr("container") && find_attr("shared_name"));
  named_resource_ = true;
  return std::move(*this).stateful();
}

const AttrRule* Op::find_attr(std::string_view name) const {
  auto found = std::ranges::find(attrs_, name, &AttrRule::name);
  return found == attrs_.end() ? nullptr : &*found;
}

void OpCatalog::add(Op op) {
  CHECK(op.infer_shape() != nullptr);
  auto name = op.name();
  op.family_ = family_;
  CHECK(ops_.emplace(std::move(name), std::move(op)).second);
}

Result<const Op*> OpCatalog::find(std::string_view name) const {
  if (auto found = ops_.find(name); found != ops_.end()) return &found->second;
  if (auto* loaded = loaded_ops::find(name)) return loaded;
  std::vector<std::string> known;
  for (const auto& [other, op] : ops_) known.push_back(other);
  auto nearest = nearest_name(name, known);
  return not_found(
      "there is no op '" + std::string(name) + "'" +
      (nearest.empty() ? "; if a library has it, the node has to load that (--ops)"
                       : "; did you mean '" + nearest + "'?"));
}

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  if (wrong.size() < 2) return "";  // one letter is near to any other
  std::string best;
  auto best_distance = wrong.size() / 3 + 1;
  for (const auto& name : known) {
    std::vector<size_t> row(name.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 1; i <= wrong.size(); ++i) {
      auto diagonal = std::exchange(row[0], i);
      for (size_t j = 1; j <= name.size(); ++j) {
        auto change = diagonal + (wrong[i - 1] != name[j - 1]);
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, change}));
      }
    }
    if (row.back() > best_distance || (row.back() == best_distance && !best.empty())) continue;
    best_distance = row.back();
    best = name;
  }
  return best;
}

std::optional<std::vector<int64_t>> to_ints(const Tensor& tensor) {
  auto ints = [](auto values) { return std::vector<int64_t>(values.begin(), values.end()); };
  if (tensor.dtype() == DType::int32) return ints(tensor.values<int32_t>());
  if (tensor.dtype() == DType::int64) return ints(tensor.values<int64_t>());
  return std::nullopt;
}

Result<int> find_axis(int64_t axis, int rank) {
  if (axis >= -rank && axis < rank) return static_cast<int>(axis < 0 ? axis + rank : axis);
  return invalid_argument(
      "axis " + std::to_string(axis) + " is not in [" + std::to_string(-rank) + ", " +
      std::to_string(rank) + "), as rank " + std::to_string(rank) + " asks for");
}

std::optional<std::vector<int64_t>> ShapeInference::constant_ints(int index) const {
  return constant(index) ? to_ints(*constant(index)) : std::nullopt;
}

Result<Shape> ShapeInference::input_as_shape(int index) const {
  if (auto status = need_rank(index, 1); !status.ok()) return status;
  auto sizes = constant_ints(index);
  if (!sizes) {
    const auto& vector = input(index);
    if (vector.is_known() && vector[0] > Shape::max_rank)
      return Shape::make(std::vector<int64_t>(static_cast<size_t>(vector[0])));
    return inputs_as_shapes_[static_cast<size_t>(index)];
  }
  for (auto size : *sizes)
    if (size < 0)
      return invalid_argument(
          "input " + std::to_string(index) + " must be a shape, but has the size " +
          std::to_string(size));
  return Shape::make(*sizes);
}

Shape ShapeInference::handle_shape() const {
  if (input_dtype(0) != DType::resource) return input(0);
  return handle_attr<Shape>("shape").value_or(Shape::unknown_rank());
}

Status ShapeInference::check_handle_dtype(DType dtype) const {
  auto held = handle_attr<DType>("dtype");
  if (!held || *held == dtype) return {};
  return invalid_argument(
      std::string("the variable is ") + to_string(*held) + ", not " + to_string(dtype));
}

Status ShapeInference::need_rank(int index, int rank) const {
  const auto& shape = input(index);
  if (!shape.has_rank() || shape.rank() == rank) return {};
  return invalid_argument(
      "input " + std::to_string(index) + " must have rank " + std::to_string(rank) +
      ", but its shape is " + shape.to_string());
}

namespace shapes {

Op::InferShape same_as_input(int index) {
  return [index](ShapeInference& s) {
    s.set(0, s.input(index));
    return Status();
  };
}

Op::InferShape scalar() {
  return [](ShapeInference& s) {
    s.set(0, Shape());
    return Status();
  };
}

Op::InferShape from_shape_input(int index) {
  return [index](ShapeInference& s) {
    auto shape = s.input_as_shape(index);
    if (shape) s.set(0, *shape);
    return shape.status();
  };
}

Op::InferShape broadcast() {
  return [](ShapeInference& s) {
    auto shape = troupe::broadcast(s.input(0), s.input(1));
    if (shape) s.set(0, *shape);
    return shape.status();
  };
}

Op::InferShape none() {
  return [](ShapeInference&) { return Status(); };
}

}  // namespace shapes
}  // namespace troupe
