#if TROUPE_CUFFT  // else the ops are computed on the CPU
#include "troupe/devices/cuda/linalg/fourier.hpp"

#include <limits>

#include "troupe/devices/cpu/linalg/fourier.hpp"
#include "troupe/devices/cuda/all_kernels.hpp"
#include "troupe/devices/cuda/array/copying.hpp"
#include "troupe/devices/cuda/linalg/fourier_plans.hpp"
#include "troupe/devices/cuda/slow_at_first.hpp"

namespace troupe::cuda {
namespace {

using cpu::FourierBlocks;
using cpu::FourierForm;
using cpu::FourierSizes;
using cpu::Spectrum;

cufftType type_of(Spectrum spectrum, DType dtype) {
  switch (spectrum) {
    case Spectrum::of_reals: return CUFFT_R2C;
    case Spectrum::to_reals: return CUFFT_C2R;
    default: return dtype == DType::complex64 ? CUFFT_C2C : CUFFT_Z2Z;
  }
}

/// As few axes as say the same: a first one of length 1 of input, transform and result is none.
FourierShape shape_of(
    cufftType type, int axes, const FourierBlocks& given, const FourierBlocks& whole,
    const FourierBlocks& made) {
  FourierShape shape{.type = type, .axes = 0, .lengths{}, .given{}, .made{}, .count = whole.count};
  for (auto axis = static_cast<size_t>(3 - axes); axis < 3; ++axis) {
    auto is_none = axis < 2 && shape.axes == 0 && given.sizes[axis] == 1 && whole.sizes[axis] == 1;
    if (is_none) continue;
    auto at = static_cast<size_t>(shape.axes++);
    shape.lengths[at] = whole.sizes[axis];
    shape.given[at] = given.sizes[axis];
    shape.made[at] = made.sizes[axis];
  }
  return shape;
}

/// Divides the result of an inverse transform by the number of elements of a block.
void scale(const Launch& launch, Tensor& result, int64_t block_elements) {
  auto factor = 1 / static_cast<double>(block_elements);
  auto stream = stream_of(launch);
  if (result.dtype() == DType::complex128)
    launch_scale(out<double>(result), 2 * result.elements(), factor, stream);
  else
    launch_scale(
        out<float>(result), static_cast<int64_t>(result.bytes() / sizeof(float)), factor, stream);
}

/// Input 0 as halves of spectra of reals, which the transform is made over: itself where nobody
/// else holds it, else a copy.
Result<Tensor> spectra_of_reals(Launch& launch, int axes, const FourierBlocks& whole) {
  const auto& input = launch.input(0);
  auto spectra = launch.reuse_or_allocate({0}, input.dtype(), input.shape());
  if (!spectra) return spectra;
  if (auto status = copy_all(launch, *spectra, input); !status.ok()) return status;
  auto given = FourierBlocks::of(input.shape(), axes).sizes;
  const auto& lengths = whole.sizes;
  launch_make_hermitian(
      {.numbers = static_cast<Complex64*>(spectra->mutable_raw()),
       .count = whole.count,
       .given = {given[0], given[1], given[2]},
       .lengths = {lengths[0], lengths[1], lengths[2]},
       .stream = stream_of(launch)});
  return spectra;
}

Status compute_fourier(Launch& launch, const FourierForm& form, DType made) {
  auto sizes = FourierSizes::of(launch, form, std::numeric_limits<int32_t>::max());
  if (!sizes) return sizes.status();
  auto result = launch.allocate(made, sizes->result);
  if (!result) return result.status();
  if (result->elements() > 0) {
    auto in = form.spectrum == Spectrum::to_reals
                  ? spectra_of_reals(launch, form.axes, sizes->whole)
                  : Result<Tensor>(launch.input(0));
    if (!in) return in.status();
    auto shape = shape_of(
        type_of(form.spectrum, made), form.axes, FourierBlocks::of(in->shape(), form.axes),
        sizes->whole, FourierBlocks::of(sizes->result, form.axes));
    auto status = kept<FourierPlans>(launch).transform(
        launch, shape, form.is_inverse, const_cast<void*>(in->raw()), result->mutable_raw());
    if (!status.ok()) return status;
    if (form.is_inverse) scale(launch, *result, sizes->whole.elements() / sizes->whole.count);
  }
  return set_launched(launch, 0, *std::move(result), "a Fourier transform");
}

KernelCatalog::Make make_fourier(FourierForm form) {
  return [form](const Node& node) -> Result<Kernel> {
    if (auto status = check_fourier_library(); !status.ok()) return status;
    auto made = form.spectrum == Spectrum::whole      ? node.attr<DType>("Tcomplex")
                : form.spectrum == Spectrum::of_reals ? DType::complex64
                                                      : DType::float32;
    return slow_at_first(
        [form, made](Launch& launch) { return compute_fourier(launch, form, made); });
  };
}

}  // namespace

void add_fourier_kernels(KernelCatalog& catalog) {
  cpu::for_each_fourier_op([&catalog](const std::string& op, const FourierForm& form) {
    catalog.add(op, make_fourier(form));
  });
}

}  // namespace troupe::cuda

#else

#include "troupe/devices/cuda/all_kernels.hpp"

namespace troupe::cuda {

void add_fourier_kernels(KernelCatalog&) {}

}  // namespace troupe::cuda

#endif
