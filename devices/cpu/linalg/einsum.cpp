#include "troupe/devices/cpu/linalg/einsum.hpp"

#include <algorithm>

namespace troupe::cpu {
namespace {

/// A letter, or from `first_broadcast` on an axis of the ellipsis, counted from its end.
using Label = size_t;
using Labels = std::vector<Label>;
constexpr Label first_broadcast = 128, label_count = first_broadcast + Shape::max_rank;

bool contains(const Labels& labels, Label label) { return std::ranges::count(labels, label) > 0; }

/// A tensor's axes by their labels. Where a label comes twice, one step goes along a diagonal.
struct LabelledAxes {
  Labels labels;  // each once, in order
  std::array<int64_t, label_count> strides{};
  bool has_repeated = false;

  /// An axis of an ellipsis that is broadcast, of size 1, needs no step and is left out.
  static LabelledAxes of(const std::string& text, const Shape& shape) {
    LabelledAxes axes;
    auto each = label_axes(text, shape.rank());
    int64_t stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      auto label = each[static_cast<size_t>(axis)];
      if (label >= first_broadcast && shape[axis] == 1) continue;
      if (contains(axes.labels, label)) axes.has_repeated = true;
      else axes.labels.insert(axes.labels.begin(), label);
      axes.strides[label] += stride;
      stride *= shape[axis];
    }
    return axes;
  }

 private:
  static Labels label_axes(const std::string& text, int rank) {
    Labels each;
    for (auto character : text) {
      if (character != EinsumEquation::ellipsis) {
        each.push_back(static_cast<Label>(character));
        continue;
      }
      for (auto left = static_cast<size_t>(rank) - (text.size() - 1); left > 0; --left)
        each.push_back(first_broadcast + left - 1);
    }
    return each;
  }
};

/// One launch of an Einsum.
class EinsumLaunch {
 public:
  EinsumLaunch(
      const Launch& launch, const EinsumEquation& equation, const EinsumSteps& steps,
      const EinsumSizes& sizes)
      : launch_(launch), equation_(equation), steps_(steps), sizes_(sizes) {}

  Result<Tensor> run(const Shape& shape) {
    out_axes_ = LabelledAxes::of(equation_.result, shape);
    for (int i = 0; i < launch_.input_count(); ++i)
      axes_.push_back(
          LabelledAxes::of(equation_.operands[static_cast<size_t>(i)], launch_.input(i).shape()));
    return axes_.size() == 1 ? of_one(shape) : of_two(shape);
  }

 private:
  int64_t size_of(Label label) const {
    if (label < first_broadcast) return sizes_.of_label[label];
    return sizes_.ellipsis[sizes_.ellipsis.rank() - 1 - static_cast<int>(label - first_broadcast)];
  }

  int64_t elements(const Labels& labels) const {
    int64_t count = 1;
    for (auto label : labels) count *= size_of(label);
    return count;
  }

  EinsumAxes<1> axes_over(const Labels& labels, const LabelledAxes& axes) const {
    EinsumAxes<1> found;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
      found.push_back({size_of(*label), {axes.strides[*label]}});
    return found;
  }

  bool is_packed(const LabelledAxes& axes, const Labels& order, int64_t count) const {
    int64_t expected = 1;
    for (auto label = order.rbegin(); label != order.rend(); ++label) {
      if (size_of(*label) != 1 && axes.strides[*label] != expected) return false;
      expected *= size_of(*label);
    }
    return expected == count;
  }

  /// An operand's elements in that order, summed over all of its other axes.
  Result<Tensor> pack(size_t operand, const Labels& order) const {
    const auto& in = launch_.input(static_cast<int>(operand));
    if (is_packed(axes_[operand], order, in.elements())) return in;
    return gather(operand, order, {elements(order)});
  }

  Result<Tensor> gather(size_t operand, const Labels& order, const Shape& shape) const {
    const auto& axes = axes_[operand];
    Labels others;
    for (auto label : axes.labels)
      if (!contains(order, label)) others.push_back(label);
    const auto& in = launch_.input(static_cast<int>(operand));
    return steps_.gather(launch_, in, axes_over(order, axes), axes_over(others, axes), shape);
  }

  /// Packed elements where the result has them.
  Result<Tensor> scatter(const Tensor& packed, const Labels& order, const Shape& shape) const {
    auto out = launch_.allocate(packed.dtype(), shape);
    if (!out) return out;
    LabelledAxes from;
    int64_t stride = 1;
    for (auto label = order.rbegin(); label != order.rend(); ++label) {
      from.strides[*label] = stride;
      stride *= size_of(*label);
    }
    EinsumAxes<2> axes;
    const auto& labels = out_axes_.labels;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
      axes.push_back({size_of(*label), {out_axes_.strides[*label], from.strides[*label]}});
    auto status = steps_.scatter(launch_, *out, packed, axes);
    if (!status.ok()) return status;
    return out;
  }

  Result<Tensor> of_one(const Shape& shape) const {
    if (!out_axes_.has_repeated) return gather(0, out_axes_.labels, shape);
    auto packed = pack(0, out_axes_.labels);
    return packed ? scatter(*packed, out_axes_.labels, shape) : packed;
  }

  struct Groups {
    Labels batch, free_a, free_b, inner;
  };

  Groups group() const {
    Groups groups;
    const auto &a = axes_[0].labels, &b = axes_[1].labels;
    for (auto label : out_axes_.labels) {
      auto in_a = contains(a, label), in_b = contains(b, label);
      (in_a && in_b ? groups.batch : in_a ? groups.free_a : groups.free_b).push_back(label);
    }
    for (auto label : a)
      if (contains(b, label) && !contains(out_axes_.labels, label)) groups.inner.push_back(label);
    return groups;
  }

  static Labels join(Labels labels, const Labels& second, const Labels& third) {
    labels.insert(labels.end(), second.begin(), second.end());
    labels.insert(labels.end(), third.begin(), third.end());
    return labels;
  }

  Result<Tensor> of_two(const Shape& shape) const {
    auto [batch, free_a, free_b, inner] = group();
    EinsumProduct product{
        .count = elements(batch),
        .rows = elements(free_a),
        .inner = elements(inner),
        .columns = elements(free_b),
        .transpose_a = is_packed(axes_[0], join(batch, inner, free_a), elements_of(0)),
        .transpose_b = is_packed(axes_[1], join(batch, free_b, inner), elements_of(1))};
    auto a = pack(0, product.transpose_a ? join(batch, inner, free_a) : join(batch, free_a, inner));
    auto b = pack(1, product.transpose_b ? join(batch, free_b, inner) : join(batch, inner, free_b));
    for (const auto* tensor : {&a, &b})
      if (!*tensor) return tensor->status();
    auto order = join(batch, free_a, free_b);
    auto is_in_place = order == out_axes_.labels && !out_axes_.has_repeated;
    auto out = launch_.allocate(a->dtype(), is_in_place ? shape : Shape{elements(order)});
    if (!out) return out;
    auto status = steps_.multiply(launch_, product, *a, *b, *out);
    if (!status.ok()) return status;
    return is_in_place ? out : scatter(*out, order, shape);
  }

  int64_t elements_of(int operand) const { return launch_.input(operand).elements(); }

  const Launch& launch_;
  const EinsumEquation& equation_;
  const EinsumSteps& steps_;
  const EinsumSizes& sizes_;
  std::vector<LabelledAxes> axes_;
  LabelledAxes out_axes_;
};

}  // namespace

KernelCatalog::Compute einsum(const EinsumEquation& equation, const EinsumSteps& steps) {
  return [equation, steps](Launch& launch) -> Status {
    auto sizes = einsum_sizes(launch, equation);
    if (!sizes) return sizes.status();
    auto shape = sizes->result(equation);
    if (!shape) return shape.status();
    auto out = EinsumLaunch(launch, equation, steps, *sizes).run(*shape);
    if (out) launch.set(0, *std::move(out));
    return out.status();
  };
}

Result<EinsumEquation> einsum_equation(const Node& node) {
  auto count = static_cast<int>(node.inputs.size());
  return EinsumEquation::parse(node.attr<std::string>("equation"), count);
}

Result<EinsumSizes> einsum_sizes(const Launch& launch, const EinsumEquation& equation) {
  Shapes operands;
  for (int i = 0; i < launch.input_count(); ++i) operands.push_back(launch.input(i).shape());
  return EinsumSizes::of(equation, operands);
}

}  // namespace troupe::cpu
