#if TROUPE_CUFFT
#include "troupe/devices/cuda/linalg/fourier_calls.hpp"

#include <dlfcn.h>

#include <string>

namespace troupe::cuda {
namespace {

template <class F>
void find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(::dlsym(library, name));
}

Result<FourierCalls> load() {
  auto file = "libcufft.so." + std::to_string(CUFFT_VER_MAJOR);
  auto* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unimplemented("Fourier transforms of cards need cuFFT: " + std::string(::dlerror()));
  FourierCalls calls{};
  find(library, "cufftCreate", calls.create);
  find(library, "cufftDestroy", calls.destroy);
  find(library, "cufftSetAutoAllocation", calls.set_auto_allocation);
  find(library, "cufftMakePlanMany64", calls.make_plan);
  find(library, "cufftSetStream", calls.set_stream);
  find(library, "cufftSetWorkArea", calls.set_work_area);
  find(library, "cufftExecC2C", calls.transform_complex64);
  find(library, "cufftExecZ2Z", calls.transform_complex128);
  find(library, "cufftExecR2C", calls.transform_reals);
  find(library, "cufftExecC2R", calls.transform_to_reals);
  auto has_all = calls.create && calls.destroy && calls.set_auto_allocation && calls.make_plan &&
                 calls.set_stream && calls.set_work_area && calls.transform_complex64 &&
                 calls.transform_complex128 && calls.transform_reals && calls.transform_to_reals;
  return has_all ? Result<FourierCalls>(calls) : unimplemented(file + " lacks functions of cuFFT");
}

}  // namespace

Result<const FourierCalls*> fourier_calls() {
  static const auto calls = load();
  if (!calls) return calls.status();
  return &*calls;
}

}  // namespace troupe::cuda

#endif
