#if TROUPE_CUSOLVER
#include "troupe/devices/cuda/linalg/dense/solver_calls.hpp"

#include <string>

#include "troupe/devices/accelerator/vendor_library.hpp"

namespace troupe::cuda {
namespace {

std::string library_file() { return "libcusolver.so." + std::to_string(CUSOLVER_VER_MAJOR); }

Status needs_library(Status (*make)(std::string), const Status& why) {
  return make("decompositions of cards need cuSOLVER: " + why.message());
}

/// False where there is no such function.
template <class F>
bool find_in(void* library, const char* name, F& function) {
  accelerator::find_function(library, name, function);
  return function != nullptr;
}

Result<SolverCalls> load_solver() {
  auto library = accelerator::load_library(library_file());
  if (!library) return needs_library(failed_precondition, library.status());
  SolverCalls calls{};
  auto has = [&](const char* name, auto& function) { return find_in(*library, name, function); };
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
                 : failed_precondition(library_file() + " lacks functions of cuSOLVER");
}

}  // namespace

Status check_solver_library() {
  static const auto status = accelerator::check_installed(library_file());
  return status.ok() ? status : needs_library(unimplemented, status);
}

Result<const SolverCalls*> solver_calls() {
  static const auto calls = load_solver();
  if (!calls) return calls.status();
  return &*calls;
}

}  // namespace troupe::cuda

#endif
