#if TROUPE_CUSOLVER
#include "troupe/devices/cuda/linalg/dense/solver_calls.hpp"

#include <dlfcn.h>

#include <string>

namespace troupe::cuda {
namespace {

/// False where there is no such function.
template <class F>
bool find_in(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(::dlsym(library, name));
  return function != nullptr;
}

Result<SolverCalls> load_solver() {
  auto file = "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR);
  auto* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return unimplemented("decompositions on cards need cuSOLVER: " + std::string(::dlerror()));
  SolverCalls calls{};
  auto has = [&](const char* name, auto& function) { return find_in(library, name, function); };
  auto has_all = has("cusolverDnCreate", calls.create) && has("cusolverDnDestroy", calls.destroy) &&
                 has("cusolverDnCreateParams", calls.create_parameters) &&
                 has("cusolverDnDestroyParams", calls.destroy_parameters) &&
                 has("cusolverDnSetStream", calls.set_stream) &&
                 has("cusolverDnXpotrf_bufferSize", calls.cholesky_bytes) &&
                 has("cusolverDnXpotrf", calls.cholesky) &&
                 has("cusolverDnXgetrf_bufferSize", calls.pivots_bytes) &&
                 has("cusolverDnXgetrf", calls.pivots) &&
                 has("cusolverDnXgeqrf_bufferSize", calls.reflections_bytes) &&
                 has("cusolverDnXgeqrf", calls.reflections) &&
                 has("cusolverDnXsyevd_bufferSize", calls.eigenvalues_bytes) &&
                 has("cusolverDnXsyevd", calls.eigenvalues) &&
                 has("cusolverDnXgesvd_bufferSize", calls.singular_values_bytes) &&
                 has("cusolverDnXgesvd", calls.singular_values);
  return has_all ? Result<SolverCalls>(calls)
                 : unimplemented(file + " lacks functions of cuSOLVER");
}

}  // namespace

Result<const SolverCalls*> solver_calls() {
  static const auto calls = load_solver();
  if (!calls) return calls.status();
  return &*calls;
}

}  // namespace troupe::cuda

#endif
