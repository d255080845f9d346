#include <algorithm>

#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/linalg/batch_product.hpp"
#include "troupe/devices/cpu/linalg/products.hpp"
#include "troupe/graph/ops/linalg/einsum.hpp"

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

/// What copies and sums elements of one dtype.
struct EinsumLoops {
  /// Writes, for each element of `kept`, the sum over `summed` from there on.
  void (*gather)(void* out, const void* in, const LoopNest<1>& kept, const LoopNest<1>& summed) =
      nullptr;
  /// Copies elements from the second offsets to the first.
  void (*scatter)(void* out, const void* in, const LoopNest<2>& nest) = nullptr;
  MultiplyBatches multiply = nullptr;
};

template <class T>
T sum_over(const T* in, const LoopNest<1>& summed) {
  using Sum = Promoted<decltype(wrapping(T{}))>;
  Sum sum{};
  auto size = summed.row_size(), stride = summed.row_strides()[0];
  summed.each_row(0, summed.rows(), [&](int64_t, const auto& at) {
    for (int64_t i = 0; i < size; ++i) sum += static_cast<Sum>(in[at[0] + i * stride]);
  });
  return static_cast<T>(sum);
}

template <class T>
void gather_sums(void* out, const void* in, const LoopNest<1>& kept, const LoopNest<1>& summed) {
  const auto* from = static_cast<const T*>(in);
  auto* to = static_cast<T*>(out);
  if (summed.elements() == 1) return copy_strided(to, from, kept);
  auto size = kept.row_size(), stride = kept.row_strides()[0];
  auto work = std::max<int64_t>(1, size * summed.elements());
  parallel_ranges(kept.rows(), work, [&](int64_t begin, int64_t end) {
    kept.each_row(begin, end, [&](int64_t row, const auto& at) {
      for (int64_t i = 0; i < size; ++i)
        to[row * size + i] = sum_over(from + at[0] + i * stride, summed);
    });
  });
}

template <class T>
void scatter_elements(void* out, const void* in, const LoopNest<2>& nest) {
  auto size = nest.row_size();
  auto [to_stride, from_stride] = nest.row_strides();
  nest.each_row(0, nest.rows(), [&](int64_t, const auto& at) {
    auto* to = static_cast<T*>(out) + at[0];
    const auto* from = static_cast<const T*>(in) + at[1];
    for (int64_t i = 0; i < size; ++i) to[i * to_stride] = from[i * from_stride];
  });
}

EinsumLoops loops_of(DType dtype) {
  EinsumLoops loops{.multiply = multiply_batches(dtype)};
  for_dtype(Numeric{}, dtype, [&](auto zero) {
    using T = decltype(zero);
    loops.gather = gather_sums<T>;
    loops.scatter = scatter_elements<T>;
  });
  return loops;
}

/// One launch of an Einsum.
class EinsumLaunch {
 public:
  EinsumLaunch(
      Launch& launch, const EinsumEquation& equation, const EinsumLoops& loops,
      const EinsumSizes& sizes)
      : launch_(launch), equation_(equation), loops_(loops), sizes_(sizes) {}

  Status run(const Shape& shape) {
    auto out = launch_.allocate(launch_.input(0).dtype(), shape);
    if (!out) return out.status();
    out_axes_ = LabelledAxes::of(equation_.result, shape);
    for (int i = 0; i < launch_.input_count(); ++i)
      axes_.push_back(
          LabelledAxes::of(equation_.operands[static_cast<size_t>(i)], launch_.input(i).shape()));
    auto status = axes_.size() == 1 ? fill_from_one(*out) : fill_from_two(*out);
    if (status.ok()) launch_.set(0, *std::move(out));
    return status;
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

  LoopNest<1> nest_over(const Labels& labels, const LabelledAxes& axes) const {
    LoopNest<1> nest;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
      nest.add_axis(size_of(*label), {axes.strides[*label]});
    return nest;
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
    const auto& axes = axes_[operand];
    if (is_packed(axes, order, in.elements())) return in;
    auto out = launch_.allocate(in.dtype(), {elements(order)});
    if (out) gather(*out, in, axes, order);
    return out;
  }

  void gather(Tensor& out, const Tensor& in, const LabelledAxes& axes, const Labels& order) const {
    Labels others;
    for (auto label : axes.labels)
      if (!contains(order, label)) others.push_back(label);
    loops_.gather(out.mutable_raw(), in.raw(), nest_over(order, axes), nest_over(others, axes));
  }

  /// Puts packed elements where the result has them.
  void scatter(Tensor& out, const Tensor& packed, const Labels& order) const {
    if (out_axes_.has_repeated)
      std::fill_n(static_cast<char*>(out.mutable_raw()), out.bytes(), char{});
    LabelledAxes from;
    int64_t stride = 1;
    for (auto label = order.rbegin(); label != order.rend(); ++label) {
      from.strides[*label] = stride;
      stride *= size_of(*label);
    }
    LoopNest<2> nest;
    const auto& labels = out_axes_.labels;
    for (auto label = labels.rbegin(); label != labels.rend(); ++label)
      nest.add_axis(size_of(*label), {out_axes_.strides[*label], from.strides[*label]});
    loops_.scatter(out.mutable_raw(), packed.raw(), nest);
  }

  Status fill_from_one(Tensor& out) const {
    const auto& in = launch_.input(0);
    if (!out_axes_.has_repeated) {
      gather(out, in, axes_[0], out_axes_.labels);
      return {};
    }
    auto packed = pack(0, out_axes_.labels);
    if (packed) scatter(out, *packed, out_axes_.labels);
    return packed.status();
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

  Status fill_from_two(Tensor& out) const {
    auto [batch, free_a, free_b, inner] = group();
    BatchProduct product{
        .rows = elements(free_a), .inner = elements(inner), .columns = elements(free_b)};
    product.transpose_a =
        is_packed(axes_[0], join(batch, inner, free_a), launch_.input(0).elements());
    product.transpose_b =
        is_packed(axes_[1], join(batch, free_b, inner), launch_.input(1).elements());
    auto a = pack(0, product.transpose_a ? join(batch, inner, free_a) : join(batch, free_a, inner));
    auto b = pack(1, product.transpose_b ? join(batch, free_b, inner) : join(batch, inner, free_b));
    for (const auto* tensor : {&a, &b})
      if (!*tensor) return tensor->status();
    product.batches.add_axis(
        elements(batch), {product.rows * product.inner, product.inner * product.columns});
    auto order = join(batch, free_a, free_b);
    if (order == out_axes_.labels && !out_axes_.has_repeated)
      return loops_.multiply(launch_, product, *a, *b, out);
    auto count = elements(order);
    if (count == 0 && out.elements() == 0) return {};
    auto packed = launch_.allocate(out.dtype(), {count});
    if (!packed) return packed.status();
    auto status = loops_.multiply(launch_, product, *a, *b, *packed);
    if (status.ok()) scatter(out, *packed, order);
    return status;
  }

  Launch& launch_;
  const EinsumEquation& equation_;
  const EinsumLoops& loops_;
  const EinsumSizes& sizes_;
  std::vector<LabelledAxes> axes_;
  LabelledAxes out_axes_;
};

Result<EinsumSizes> sizes_of(const Launch& launch, const EinsumEquation& equation) {
  Shapes operands;
  for (int i = 0; i < launch.input_count(); ++i) operands.push_back(launch.input(i).shape());
  return EinsumSizes::of(equation, operands);
}

Status compute_einsum(Launch& launch, const EinsumEquation& equation, const EinsumLoops& loops) {
  auto sizes = sizes_of(launch, equation);
  if (!sizes) return sizes.status();
  auto shape = sizes->result(equation);
  if (!shape) return shape.status();
  return EinsumLaunch(launch, equation, loops, *sizes).run(*shape);
}

/// Each combination of labels is one multiplication and addition.
int64_t einsum_cost_ns(const Launch& launch, const EinsumEquation& equation) {
  auto sizes = sizes_of(launch, equation);
  if (!sizes) return 0;
  auto flops = 2.0 * double(sizes->ellipsis.elements());
  for (auto size : sizes->of_label)
    if (size != Shape::unknown) flops *= double(size);
  return product_cost_ns(flops) + launch.input(0).elements();
}

}  // namespace

void add_einsum_kernel(KernelCatalog& catalog) {
  catalog.add("Einsum", [](const Node& node) -> Result<Kernel> {
    auto count = static_cast<int>(node.inputs.size());
    auto equation = EinsumEquation::parse(node.attr<std::string>("equation"), count);
    if (!equation) return equation.status();
    auto loops = loops_of(node.attr<DType>("T"));
    if (!loops.multiply) return no_kernel(node.attr<DType>("T"));
    return Kernel{
        .compute = [equation = *equation,
                    loops](Launch& launch) { return compute_einsum(launch, equation, loops); },
        .cost_ns = [equation = *equation](
                       const Launch& launch) { return einsum_cost_ns(launch, equation); }};
  });
}

}  // namespace troupe::cpu
