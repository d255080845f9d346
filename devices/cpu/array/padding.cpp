#include "troupe/devices/cpu/array/padding.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/strided_copy.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {

Result<Paddings> Paddings::of(const Tensor& tensor, int axes, const char* name) {
  if (tensor.shape() != Shape{axes, 2})
    return invalid_argument(
        "'" + std::string(name) + "' must have the shape [" + std::to_string(axes) +
        ",2], but have " + tensor.shape().to_string());
  Paddings paddings;
  Status status;
  auto read = [&](auto entries) {
    for (size_t i = 0; i < entries.size(); ++i) {
      auto entry = static_cast<int64_t>(entries[i]);
      if (entry < 0 || entry > Shape::max_elements)
        status = invalid_argument(
            "'" + std::string(name) + "' must lie in [0, 2^48], but one is " +
            std::to_string(entry));
      (i % 2 == 0 ? paddings.before_ : paddings.after_)[i / 2] = entry;
    }
  };
  if (tensor.dtype() == DType::int64) read(tensor.values<int64_t>());
  else read(tensor.values<int32_t>());
  if (!status.ok()) return status;
  return paddings;
}

/// The padded tensor has elements.
PaddedRows::PaddedRows(const Shape& shape, const Paddings& paddings) {
  auto last = shape.rank() - 1;
  for (; last > 0 && paddings.before(last) + paddings.after(last) == 0; --last)
    size_ *= shape[last];
  if (last >= 0) {
    before_ = paddings.before(last) * size_;
    after_ = paddings.after(last) * size_;
    size_ *= shape[last];
  }
  for (auto axis = last - 1; axis >= 0; --axis) {
    auto size = shape[axis], before = paddings.before(axis);
    axes_[axes_count_++] = {before, size, before + size + paddings.after(axis)};
    rows_ *= axes_[axes_count_ - 1].padded;
  }
}

int64_t PaddedRows::source_of(int64_t row) const {
  int64_t source = 0, stride = 1;
  for (size_t i = 0; i < axes_count_; ++i) {
    const auto& axis = axes_[i];
    auto at = row % axis.padded - axis.before;
    if (at < 0 || at >= axis.size) return -1;
    source += at * stride;
    stride *= axis.size;
    row /= axis.padded;
  }
  return source;
}

Result<Shape> padded_shape(const Shape& shape, const Paddings& paddings) {
  auto padded = shape;
  for (int axis = 0; axis < shape.rank(); ++axis)
    padded.set(axis, paddings.before(axis) + shape[axis] + paddings.after(axis));
  return Shape::make(padded.sizes());
}

namespace {

template <class C>
Status compute_pad_v2(Launch& launch) {
  const auto& in = launch.input(0);
  const auto shape = in.shape();
  if (!launch.input(2).shape().is_scalar())
    return invalid_argument(
        "'constant_values' must have rank 0, but have shape " +
        launch.input(2).shape().to_string());
  auto paddings = Paddings::of(launch.input(1), shape.rank());
  if (!paddings) return paddings.status();
  auto padded = padded_shape(shape, *paddings);
  if (!padded) return padded.status();
  auto out = launch.allocate(in.dtype(), *padded);
  if (!out) return out.status();
  if (out->elements() > 0)
    PaddedRows(shape, *paddings)
        .fill(mutable_cells<C>(*out), cells<C>(in), *cells<C>(launch.input(2)));
  launch.set(0, *std::move(out));
  return {};
}

/// Which element of a tensor each one of its mirrored continuation is.
class Mirror {
 public:
  /// `inner`: the tensor's shape; its continuation has the other one.
  Mirror(const Shape& inner, const Shape& padded, const Paddings& paddings, bool repeats_ends)
      : rank_(inner.rank()),
        inner_(inner),
        padded_(padded),
        strides_(strides_of(inner)),
        paddings_(paddings),
        repeat_(repeats_ends ? 1 : 0) {}

  int64_t row_size() const { return rank_ == 0 ? 1 : padded_[rank_ - 1]; }
  int64_t rows() const { return padded_.elements() / std::max<int64_t>(row_size(), 1); }

  /// Calls f(i, j) for each element j of a row of the continuation and the element i that it is.
  template <class F>
  void each_in_row(int64_t row, const F& f) const {
    auto first = row * row_size();
    int64_t offset = 0;
    for (int axis = rank_ - 2; axis >= 0; --axis) {
      offset += source(axis, row % padded_[axis]) * strides_[axis];
      row /= padded_[axis];
    }
    if (rank_ == 0) return f(0, 0);
    auto last = rank_ - 1;
    auto begin = paddings_.before(last), end = begin + inner_[last];
    for (int64_t j = 0; j < begin; ++j) f(offset + source(last, j), first + j);
    for (int64_t j = begin; j < end; ++j) f(offset + j - begin, first + j);
    for (int64_t j = end; j < row_size(); ++j) f(offset + source(last, j), first + j);
  }

 private:
  int64_t source(int axis, int64_t position) const {
    auto at = position - paddings_.before(axis);
    if (at < 0) return -at - repeat_;
    return at < inner_[axis] ? at : 2 * inner_[axis] - 2 + repeat_ - at;
  }

  int rank_;
  Shape inner_, padded_;
  Strides strides_;
  Paddings paddings_;
  int64_t repeat_;  // 1 where the elements at the ends are repeated
};

template <class C>
Status compute_mirror_pad(Launch& launch, bool repeats_ends) {
  const auto& in = launch.input(0);
  auto paddings = Paddings::of(launch.input(1), in.shape().rank());
  if (!paddings) return paddings.status();
  auto padded = padded_shape(in.shape(), *paddings);
  if (!padded) return padded.status();
  if (auto status = check_mirror(in.shape(), *paddings, repeats_ends); !status.ok()) return status;
  Mirror mirror(in.shape(), *padded, *paddings, repeats_ends);
  auto out = launch.allocate(in.dtype(), *padded);
  if (!out) return out.status();
  const auto* from = cells<C>(in);
  auto* to = mutable_cells<C>(*out);
  parallel_ranges(mirror.rows(), mirror.row_size(), [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row)
      mirror.each_in_row(row, [&](int64_t i, int64_t j) { to[j] = from[i]; });
  });
  launch.set(0, *std::move(out));
  return {};
}

template <class T>
Status compute_mirror_pad_grad(Launch& launch, bool repeats_ends) {
  const auto& in = launch.input(0);
  auto paddings = Paddings::of(launch.input(1), in.shape().rank());
  if (!paddings) return paddings.status();
  auto shape = mirrored_shape(in.shape(), *paddings, repeats_ends);
  if (!shape) return shape.status();
  const auto& inner = *shape;
  Mirror mirror(inner, in.shape(), *paddings, repeats_ends);
  auto out = launch.allocate(in.dtype(), inner);
  if (!out) return out.status();
  // Sums of 16-bit floats are made as floats.
  std::vector<Promoted<T>> sums(static_cast<size_t>(inner.elements()));
  const auto* from = in.data<T>();
  for (int64_t row = 0; row < mirror.rows(); ++row)
    mirror.each_in_row(row, [&](int64_t i, int64_t j) {
      auto& sum = sums[static_cast<size_t>(i)];
      sum = static_cast<Promoted<T>>(wrap(sum) + wrap(promote(from[j])));
    });
  std::ranges::transform(
      sums, out->template mutable_data<T>(), [](auto sum) { return static_cast<T>(sum); });
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

Status check_mirror(const Shape& inner, const Paddings& paddings, bool repeats_ends) {
  for (int axis = 0; axis < inner.rank(); ++axis) {
    auto most = std::max<int64_t>(inner[axis] - (repeats_ends ? 0 : 1), 0);
    if (std::max(paddings.before(axis), paddings.after(axis)) > most)
      return invalid_argument(
          "an axis of size " + std::to_string(inner[axis]) + " mirrors at most " +
          std::to_string(most) + " elements, but the paddings are " +
          std::to_string(paddings.before(axis)) + " and " + std::to_string(paddings.after(axis)));
  }
  return {};
}

Result<Shape> mirrored_shape(const Shape& padded, const Paddings& paddings, bool repeats_ends) {
  auto inner = padded;
  for (int axis = 0; axis < inner.rank(); ++axis) {
    auto size = inner[axis] - paddings.before(axis) - paddings.after(axis);
    if (size < 0)
      return invalid_argument(
          "an axis of size " + std::to_string(inner[axis]) + " cannot have " +
          std::to_string(paddings.before(axis)) + " and " + std::to_string(paddings.after(axis)) +
          " elements of padding");
    inner.set(axis, size);
  }
  if (auto status = check_mirror(inner, paddings, repeats_ends); !status.ok()) return status;
  return inner;
}

void add_padding_kernels(KernelCatalog& catalog) {
  catalog.add("PadV2", [](const Node& node) {
    return dispatch_cells(node.attr<DType>("T"), [](auto cell) {
      return Kernel{.compute = compute_pad_v2<decltype(cell)>};
    });
  });
  catalog.add("MirrorPad", [](const Node& node) {
    auto repeats_ends = node.attr<std::string>("mode") == "SYMMETRIC";
    return dispatch_cells(node.attr<DType>("T"), [&](auto cell) {
      return Kernel{.compute = [repeats_ends](Launch& launch) {
        return compute_mirror_pad<decltype(cell)>(launch, repeats_ends);
      }};
    });
  });
  catalog.add("MirrorPadGrad", [](const Node& node) {
    auto repeats_ends = node.attr<std::string>("mode") == "SYMMETRIC";
    return dispatch(Numeric{}, node.attr<DType>("T"), [&](auto zero) {
      return Kernel{.compute = [repeats_ends](Launch& launch) {
        return compute_mirror_pad_grad<decltype(zero)>(launch, repeats_ends);
      }};
    });
  });
  add_tiling_kernels(catalog);
}

}  // namespace troupe::cpu
