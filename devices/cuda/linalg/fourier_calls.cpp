#if TROUPE_CUFFT
#include "troupe/devices/cuda/linalg/fourier_calls.hpp"

#include <string>

#include "troupe/devices/accelerator/vendor_library.hpp"

namespace troupe::cuda {
namespace {

using accelerator::find_function;

std::string library_file() { return "libcufft.so." + std::to_string(CUFFT_VER_MAJOR); }

Status needs_library(Status (*make)(std::string), const Status& why) {
  return make("Fourier transforms of cards need cuFFT: " + why.message());
}

Result<FourierCalls> load() {
  auto library = accelerator::load_library(library_file());
  if (!library) return needs_library(failed_precondition, library.status());
  FourierCalls calls{};
  find_function(*library, "cufftCreate", calls.create);
  find_function(*library, "cufftDestroy", calls.destroy);
  find_function(*library, "cufftSetAutoAllocation", calls.set_auto_allocation);
  find_function(*library, "cufftMakePlanMany64", calls.make_plan);
  find_function(*library, "cufftSetStream", calls.set_stream);
  find_function(*library, "cufftSetWorkArea", calls.set_work_area);
  find_function(*library, "cufftExecC2C", calls.transform_complex64);
  find_function(*library, "cufftExecZ2Z", calls.transform_complex128);
  find_function(*library, "cufftExecR2C", calls.transform_reals);
  find_function(*library, "cufftExecC2R", calls.transform_to_reals);
  auto has_all = calls.create && calls.destroy && calls.set_auto_allocation && calls.make_plan &&
                 calls.set_stream && calls.set_work_area && calls.transform_complex64 &&
                 calls.transform_complex128 && calls.transform_reals && calls.transform_to_reals;
  return has_all ? Result<FourierCalls>(calls)
                 : failed_precondition(library_file() + " lacks functions of cuFFT");
}

}  // namespace

Status check_fourier_library() {
  static const auto status = accelerator::check_installed(library_file());
  return status.ok() ? status : needs_library(unimplemented, status);
}

Result<const FourierCalls*> fourier_calls() {
  static const auto calls = load();
  if (!calls) return calls.status();
  return &*calls;
}

}  // namespace troupe::cuda

#endif
