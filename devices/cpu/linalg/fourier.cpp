#include "troupe/devices/cpu/linalg/fourier.hpp"

#include <array>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/int_input.hpp"
#include "troupe/devices/cpu/linalg/line_transform.hpp"
#include "troupe/devices/cpu/parallel.hpp"

namespace troupe::cpu {
namespace {

using Blocks = FourierBlocks;

template <class Out, class In>
Out convert_element(const In& value) {
  if constexpr (std::is_same_v<Out, In>) return value;
  else if constexpr (std::is_arithmetic_v<Out>) return value.real();
  else return Out(value);
}

/// Copies the first elements along each axis of larger blocks, as another type: of complex numbers
/// the real part.
template <class Out, class In>
void crop(Out* out, const Blocks& to, const In* in, const Blocks& from) {
  parallel_ranges(to.rows(), to.sizes[2], [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      auto middle = row % to.sizes[1], rest = row / to.sizes[1];
      auto first = rest % to.sizes[0], block = rest / to.sizes[0];
      const auto* in_row =
          in + ((block * from.sizes[0] + first) * from.sizes[1] + middle) * from.sizes[2];
      for (int64_t i = 0; i < to.sizes[2]; ++i)
        out[row * to.sizes[2] + i] = convert_element<Out>(in_row[i]);
    }
  });
}

/// Fills rows whose first halves are the spectrum of real numbers: the rest is its conjugate.
template <class C>
void complete_spectrum(C* out, const Blocks& to, const C* halves) {
  auto length = to.sizes[2], half = length / 2 + 1;
  parallel_ranges(to.rows(), length, [&](int64_t begin, int64_t end) {
    for (auto row = begin; row < end; ++row) {
      const auto* in = halves + row * half;
      auto* line = out + row * length;
      std::copy_n(in, half, line);
      for (auto i = half; i < length; ++i) line[i] = std::conj(in[length - i]);
    }
  });
}

/// Transforms all lines along one axis in place.
template <class R>
void transform_axis(std::complex<R>* data, const Blocks& blocks, int axis, bool is_inverse) {
  auto length = blocks.sizes[static_cast<size_t>(axis)];
  int64_t stride = 1;
  for (auto inner = static_cast<size_t>(axis) + 1; inner < 3; ++inner)
    stride *= blocks.sizes[inner];
  auto scale = is_inverse ? R(1) / R(length) : R(1);
  constexpr int64_t work_of_element = 16;
  parallel_ranges(
      blocks.elements() / length, length * work_of_element, [&](int64_t begin, int64_t end) {
        LineTransform<R> transform(length, is_inverse);
        std::vector<std::complex<R>> from(static_cast<size_t>(length)), to(from.size());
        for (auto line = begin; line < end; ++line) {
          auto* first = data + line / stride * stride * length + line % stride;
          for (int64_t i = 0; i < length; ++i) from[static_cast<size_t>(i)] = first[i * stride];
          transform.run(to.data(), from.data());
          for (int64_t i = 0; i < length; ++i)
            first[i * stride] = to[static_cast<size_t>(i)] * scale;
        }
      });
}

/// Along the last axes of each block but `skipped` of them.
template <class R>
void transform_axes(
    std::complex<R>* data, const Blocks& blocks, const FourierForm& form, int skipped = 0) {
  for (int axis = 2 - skipped; axis > 2 - form.axes; --axis)
    transform_axis(data, blocks, axis, form.is_inverse);
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

template <class R>
Status fill_spectrum_of_reals(
    const Launch& launch, Tensor& out, const FourierForm& form, const Blocks& whole) {
  using C = std::complex<R>;
  auto work = allocate_complex<R>(launch, whole);
  if (!work) return work.status();
  const auto& in = launch.input(0);
  auto* lines = work->template mutable_data<C>();
  crop(lines, whole, in.data<R>(), Blocks::of(in.shape(), form.axes));
  transform_axis(lines, whole, 2, form.is_inverse);
  auto half = Blocks::of(out.shape(), form.axes);
  auto* spectrum = out.mutable_data<C>();
  crop(spectrum, half, lines, whole);
  transform_axes(spectrum, half, form, /*skipped=*/1);
  return {};
}

template <class R>
Status fill_reals_of_spectrum(
    const Launch& launch, Tensor& out, const FourierForm& form, const Blocks& whole) {
  using C = std::complex<R>;
  auto half = whole;
  half.sizes[2] = whole.sizes[2] / 2 + 1;
  auto spectrum = allocate_complex<R>(launch, half), work = allocate_complex<R>(launch, whole);
  for (const auto* tensor : {&spectrum, &work})
    if (!*tensor) return tensor->status();
  const auto& in = launch.input(0);
  auto* halves = spectrum->template mutable_data<C>();
  crop(halves, half, in.data<C>(), Blocks::of(in.shape(), form.axes));
  transform_axes(halves, half, form, /*skipped=*/1);
  auto* lines = work->template mutable_data<C>();
  complete_spectrum(lines, whole, halves);
  transform_axis(lines, whole, 2, form.is_inverse);
  crop(out.mutable_data<R>(), whole, lines, whole);
  return {};
}

template <class R>
Status compute_fourier(Launch& launch, const FourierForm& form) {
  auto sizes = FourierSizes::of(launch, form, LineTransform<R>::longest);
  if (!sizes) return sizes.status();
  const auto& [whole, shape] = *sizes;
  const auto& in = launch.input(0);
  auto dtype = form.spectrum == Spectrum::to_reals ? dtype_of<R>() : dtype_of<std::complex<R>>();
  auto out = launch.allocate(dtype, shape);
  if (!out) return out.status();
  Status status;
  if (out->elements() > 0 && form.spectrum == Spectrum::whole) {
    auto* data = out->template mutable_data<std::complex<R>>();
    std::copy_n(in.data<std::complex<R>>(), in.elements(), data);
    transform_axes(data, whole, form);
  } else if (out->elements() > 0) {
    status = form.spectrum == Spectrum::of_reals
                 ? fill_spectrum_of_reals<R>(launch, *out, form, whole)
                 : fill_reals_of_spectrum<R>(launch, *out, form, whole);
  }
  if (status.ok()) launch.set(0, *std::move(out));
  return status;
}

KernelCatalog::Make make_fourier(FourierForm form) {
  return [form](const Node& node) {
    auto make = [form](auto zero) {
      using R = typename decltype(zero)::value_type;
      return Kernel{
          .compute = [form](Launch& launch) { return compute_fourier<R>(launch, form); },
          .cost_ns = [](const Launch& launch) { return 20 * launch.input(0).elements(); }};
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
