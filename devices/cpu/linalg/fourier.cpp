#include "troupe/devices/cpu/linalg/fourier.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/linalg/line_group.hpp"
#include "troupe/devices/cpu/linalg/line_transform.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using Blocks = FourierBlocks;

/// Transforms by their lengths, which steps of a node keep for the next ones.
template <class R>
class LineTransforms {
 public:
  using Transform = std::shared_ptr<const LineTransform<R>>;

  Transform find(int64_t length, bool has_half_roots = false) {
    std::lock_guard lock(mutex_);
    for (const auto& each : known_)
      if (each->length() == length && each->half_roots().empty() != has_half_roots) return each;
    constexpr size_t most = 6;
    if (known_.size() == most) known_.erase(known_.begin());
    return known_.emplace_back(std::make_shared<LineTransform<R>>(length, has_half_roots));
  }

 private:
  std::mutex mutex_;
  std::vector<Transform> known_;
};

/// What makes an inverse of a transform.
template <class R>
vector::Parts<R> exchanged(const vector::Parts<R>& parts) {
  return {parts.imaginary, parts.real};
}

/// Transforms `count` lines in groups, whose numbers load(parts, other, group) sets;
/// store(parts, other, group) gets the transforms. Both may use the other parts.
template <class R, class Load, class Store>
void transform_lines(
    const LineTransform<R>& transform, int64_t count, bool is_inverse, const Load& load,
    const Store& store) {
  constexpr int64_t work_of_number = 4;
  auto length = transform.length(), size = LineGroup::size_for(count, length);
  // A spectrum has one number more than half as many as the reals.
  auto room = (length + 1) * LineGroup::width_for(size);
  auto work = length * size * work_of_number;
  parallel_ranges((count + size - 1) / size, work, [&](int64_t begin, int64_t end) {
    auto memory = std::make_unique_for_overwrite<R[]>(static_cast<size_t>(4 * room));
    vector::Parts<R> in{memory.get(), memory.get() + room};
    vector::Parts<R> other{in.imaginary + room, in.imaginary + 2 * room};
    for (auto i = begin; i < end; ++i) {
      LineGroup group{.first = i * size, .count = std::min(size, count - i * size)};
      group.width = LineGroup::width_for(group.count);
      load(in, other, group);
      auto out = is_inverse ? exchanged(transform.run(exchanged(in), exchanged(other), group.width))
                            : transform.run(in, other, group.width);
      store(out, out.real == in.real ? other : in, group);
    }
  });
}

template <class R>
R* reals(std::complex<R>* numbers) {
  return reinterpret_cast<R*>(numbers);
}
template <class R>
const R* reals(const std::complex<R>* numbers) {
  return reinterpret_cast<const R*>(numbers);
}

/// Transforms all lines along one axis, `from` and `to` the same or apart.
template <class R>
void transform_axis(
    LineTransforms<R>& transforms, std::complex<R>* to, const std::complex<R>* from,
    const Blocks& blocks, int axis, bool is_inverse) {
  auto length = blocks.sizes[static_cast<size_t>(axis)];
  int64_t stride = 1;
  for (auto inner = static_cast<size_t>(axis) + 1; inner < 3; ++inner)
    stride *= blocks.sizes[inner];
  auto scale = is_inverse ? R(1) / R(length) : R(1);
  auto places_of = [&](const LineGroup& group) {
    return GroupPlaces::of(group, 2 * stride, [&](int64_t line) {
      return 2 * (line / stride * stride * length + line % stride);
    });
  };
  transform_lines(
      *transforms.find(length), blocks.elements() / length, is_inverse,
      [&](const auto& parts, const auto&, const LineGroup& group) {
        load_numbers(parts, reals(from), places_of(group), length);
      },
      [&](const auto& parts, const auto&, const LineGroup& group) {
        store_numbers(reals(to), parts, places_of(group), length, scale);
      });
}

/// Along the last axes of each block but `skipped` of them, in place.
template <class R>
void transform_axes(
    LineTransforms<R>& transforms, std::complex<R>* data, const Blocks& blocks,
    const FourierForm& form, int skipped) {
  for (int axis = 2 - skipped; axis > 2 - form.axes; --axis)
    transform_axis(transforms, data, data, blocks, axis, form.is_inverse);
}

Status check_length(int64_t given, int64_t needed, int64_t length, int axis) {
  if (given >= needed) return {};
  return invalid_argument(
      "a transform of length " + std::to_string(length) + " needs at least " +
      std::to_string(needed) + " elements along axis " + std::to_string(axis) + ", not " +
      std::to_string(given));
}

/// The lengths of a transform along the last axes of input 0: its own, or those of input 1.
Result<std::array<int64_t, 3>> lengths_of(
    const Launch& launch, const FourierForm& form, int64_t longest) {
  const auto& shape = launch.input(0).shape();
  if (shape.rank() < form.axes)
    return invalid_argument(
        "input 0 must have at least rank " + std::to_string(form.axes) + ", but is " +
        shape.to_string());
  auto lengths = FourierBlocks::of(shape, form.axes).sizes;
  if (form.spectrum != Spectrum::whole) {
    auto given = IntInput::of(launch.input(1));
    if (!given) return given.status();
    if (launch.input(1).shape() != Shape{form.axes})
      return invalid_argument(
          "'fft_length' must have the shape [" + std::to_string(form.axes) + "], but has " +
          launch.input(1).shape().to_string());
    for (int i = 0; i < form.axes; ++i) {
      if ((*given)[i] < 0)
        return invalid_argument(
            "'fft_length' must not be negative, but is " + launch.input(1).to_string());
      lengths[static_cast<size_t>(3 - form.axes + i)] = (*given)[i];
    }
  }
  for (int i = 0; i < form.axes; ++i) {
    auto axis = shape.rank() - form.axes + i;
    auto length = lengths[static_cast<size_t>(3 - form.axes + i)];
    if (length > longest)
      return unimplemented(
          "transforms of more than " + std::to_string(longest) + " elements, as of " +
          std::to_string(length));
    auto is_half = form.spectrum == Spectrum::to_reals && i + 1 == form.axes && length > 0;
    auto status = check_length(shape[axis], is_half ? length / 2 + 1 : length, length, axis);
    if (!status.ok()) return status;
  }
  return lengths;
}

template <class R>
Result<Tensor> allocate_complex(const Launch& launch, const Blocks& blocks) {
  int64_t sizes[] = {blocks.count, blocks.sizes[0], blocks.sizes[1], blocks.sizes[2]};
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  return launch.allocate(dtype_of<std::complex<R>>(), *shape);
}

/// Where a row of blocks begins in blocks that are larger, or in as large ones.
int64_t row_start(int64_t row, const Blocks& blocks, const Blocks& from) {
  auto middle = row % blocks.sizes[1], rest = row / blocks.sizes[1];
  auto first = rest % blocks.sizes[0], block = rest / blocks.sizes[0];
  return ((block * from.sizes[0] + first) * from.sizes[1] + middle) * from.sizes[2];
}

/// Sets rows to the first halves of the spectra of rows of reals, or of the first reals of them.
template <class R>
void transform_reals(
    LineTransforms<R>& transforms, std::complex<R>* to, const Blocks& whole, const R* from,
    const Blocks& given) {
  const auto length = whole.sizes[2], half = length / 2;
  const auto is_even = length % 2 == 0;
  const auto transform = transforms.find(is_even ? half : length, is_even);
  transform_lines(
      *transform, whole.rows(), /*is_inverse=*/false,
      [&](const auto& parts, const auto&, const LineGroup& group) {
        auto places = GroupPlaces::of(
            group, is_even ? 2 : 1, [&](int64_t row) { return row_start(row, whole, given); });
        if (is_even) load_numbers(parts, from, places, half);
        else load_reals(parts, from, places, length);
      },
      [&](const auto& parts, const auto& other, const LineGroup& group) {
        auto places = GroupPlaces::of(group, 2, [&](int64_t row) { return 2 * row * (half + 1); });
        if (is_even)
          vector::fourier_loops(R()).join_spectrum(
              {half, group.width, transform->half_roots().data(), parts, other});
        store_numbers(reals(to), is_even ? other : parts, places, half + 1, R(1));
      });
}

/// The other way: rows of reals from the first halves of rows of spectra.
template <class R>
void transform_to_reals(
    LineTransforms<R>& transforms, R* to, const Blocks& whole, const std::complex<R>* from,
    const Blocks& given) {
  const auto length = whole.sizes[2], half = length / 2;
  const auto is_even = length % 2 == 0;
  const auto transform = transforms.find(is_even ? half : length, is_even);
  const auto scale = R(1) / R(length);
  transform_lines(
      *transform, whole.rows(), /*is_inverse=*/true,
      [&](const auto& parts, const auto& other, const LineGroup& group) {
        auto places = GroupPlaces::of(
            group, 2, [&](int64_t row) { return 2 * row_start(row, whole, given); });
        load_numbers(is_even ? other : parts, reals(from), places, half + 1);
        if (!is_even) return complete_spectrum(parts, length, group.width);
        // The first and the last number are taken as real.
        for (auto column : {int64_t{0}, half})
          std::fill_n(other.imaginary + column * group.width, group.width, R(0));
        vector::fourier_loops(R()).split_spectrum(
            {half, group.width, transform->half_roots().data(), other, parts});
      },
      [&](const auto& parts, const auto&, const LineGroup& group) {
        auto places =
            GroupPlaces::of(group, is_even ? 2 : 1, [&](int64_t row) { return row * length; });
        if (is_even) store_numbers(to, parts, places, half, scale);
        else store_reals(to, parts, places, length, scale);
      });
}

/// Copies the first elements along each axis of larger blocks.
template <class C>
void crop(C* out, const Blocks& to, const C* in, const Blocks& from) {
  parallel_ranges(to.rows(), to.sizes[2], [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row)
      std::copy_n(in + row_start(row, to, from), to.sizes[2], out + row * to.sizes[2]);
  });
}

/// Of the last axes, from input 0.
template <class R>
Status fill_reals_of_spectrum(
    const Launch& launch, LineTransforms<R>& transforms, Tensor& out, const FourierForm& form,
    const Blocks& whole) {
  using C = std::complex<R>;
  const auto& in = launch.input(0);
  auto given = Blocks::of(in.shape(), form.axes);
  auto* reals = out.mutable_data<R>();
  if (form.axes == 1) {
    transform_to_reals(transforms, reals, whole, in.data<C>(), given);
    return {};
  }
  auto half = whole;
  half.sizes[2] = whole.sizes[2] / 2 + 1;
  auto shape = Shape::make(std::array{half.count, half.sizes[0], half.sizes[1], half.sizes[2]});
  if (!shape) return shape.status();
  auto spectrum = launch.allocate(dtype_of<C>(), *shape);
  if (!spectrum) return spectrum.status();
  auto* halves = spectrum->template mutable_data<C>();
  crop(halves, half, in.data<C>(), given);
  transform_axes(transforms, halves, half, form, /*skipped=*/1);
  transform_to_reals(transforms, reals, whole, static_cast<const C*>(halves), half);
  return {};
}

template <class R>
Status compute_fourier(Launch& launch, const FourierForm& form, LineTransforms<R>& transforms) {
  using C = std::complex<R>;
  auto sizes = FourierSizes::of(launch, form, LineTransform<R>::longest);
  if (!sizes) return sizes.status();
  const auto& [whole, shape] = *sizes;
  const auto& in = launch.input(0);
  auto dtype = form.spectrum == Spectrum::to_reals ? dtype_of<R>() : dtype_of<C>();
  auto out = launch.allocate(dtype, shape);
  if (!out) return out.status();
  Status status;
  if (out->elements() == 0) {
  } else if (form.spectrum == Spectrum::to_reals) {
    status = fill_reals_of_spectrum<R>(launch, transforms, *out, form, whole);
  } else {
    auto* data = out->template mutable_data<C>();
    if (form.spectrum == Spectrum::whole)
      transform_axis(transforms, data, in.data<C>(), whole, 2, form.is_inverse);
    else transform_reals(transforms, data, whole, in.data<R>(), Blocks::of(in.shape(), form.axes));
    transform_axes(transforms, data, Blocks::of(shape, form.axes), form, /*skipped=*/1);
  }
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

KernelCatalog::Make make_fourier(FourierForm form) {
  return [form](const Node& node) {
    auto make = [form](auto zero) {
      using R = typename decltype(zero)::value_type;
      auto transforms = std::make_shared<LineTransforms<R>>();
      return Kernel{
          .compute = [form, transforms](
                         Launch& launch) { return compute_fourier<R>(launch, form, *transforms); },
          .cost_ns = [](const Launch& launch) { return 3 * launch.input(0).elements(); }};
    };
    if (form.spectrum == Spectrum::whole)
      return dispatch(Complex{}, node.attr<DType>("Tcomplex"), make);
    return Result<Kernel>(make(complex64()));
  };
}

}  // namespace

Result<FourierSizes> FourierSizes::of(
    const Launch& launch, const FourierForm& form, int64_t longest) {
  auto lengths = lengths_of(launch, form, longest);
  if (!lengths) return lengths.status();
  auto shape = launch.input(0).shape();
  for (int i = 0; i < form.axes; ++i)
    shape.set(shape.rank() - form.axes + i, (*lengths)[static_cast<size_t>(3 - form.axes + i)]);
  FourierSizes sizes{.whole = FourierBlocks::of(shape, form.axes), .result = shape};
  auto last = (*lengths)[2];
  if (form.spectrum == Spectrum::of_reals && last > 0)
    sizes.result.set(shape.rank() - 1, last / 2 + 1);
  return sizes;
}

void add_fourier_kernels(KernelCatalog& catalog) {
  for_each_fourier_op(
      [&catalog](const std::string& op, FourierForm form) { catalog.add(op, make_fourier(form)); });
}

}  // namespace troupe::cpu
