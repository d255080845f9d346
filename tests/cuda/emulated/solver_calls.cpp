// cuSOLVER for emulated cards: decompositions of matrices in column-major order, in double, on the
// threads of streams. The working memory is written, that on the host as late as that on the card;
// and what the library leaves of its input has no meaning here either.
#include "troupe/devices/cuda/linalg/dense/solver_calls.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <complex>
#include <cstring>

#include "troupe/tests/cuda/emulated/state.hpp"

namespace troupe::emulated {

struct Solver {
  Stream* stream = nullptr;
};
struct SolverParameters {};

namespace {

constexpr size_t card_work_bytes = 4096, host_work_bytes = 64;

template <class T>
using Wide = std::conditional_t<
    std::is_same_v<T, float> || std::is_same_v<T, double>, double, std::complex<double>>;
template <class S>
using Dense = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Real = typename Eigen::NumTraits<T>::Real;

/// A matrix in the memory of a card.
struct Place {
  void* memory;
  int64_t rows, columns, stride;
};

template <class T>
auto mapped(const Place& place) {
  return Eigen::Map<Dense<T>, 0, Eigen::OuterStride<>>(
      static_cast<T*>(place.memory), place.rows, place.columns, Eigen::OuterStride<>(place.stride));
}
template <class T>
Dense<Wide<T>> read(const Place& place) {
  return mapped<T>(place).template cast<Wide<T>>();
}
template <class T, class M>
void write(const Place& place, const M& matrix) {
  mapped<T>(place) = matrix.template cast<T>();
}
template <class T, class M>
void write_reals(void* to, const M& values) {
  for (Eigen::Index i = 0; i < values.size(); ++i)
    static_cast<Real<T>*>(to)[i] = static_cast<Real<T>>(values(i));
}

/// Calls f(zero of the type's elements).
template <class F>
void with_type(cudaDataType type, const F& f) {
  switch (type) {
    case CUDA_R_64F: return f(double());
    case CUDA_C_32F: return f(std::complex<float>());
    case CUDA_C_64F: return f(std::complex<double>());
    default: return f(float());
  }
}

bool is_real_of(cudaDataType real, cudaDataType type) {
  auto is_double = type == CUDA_R_64F || type == CUDA_C_64F;
  return real == (is_double ? CUDA_R_64F : CUDA_R_32F);
}

/// Whether the library takes such a matrix.
bool fits(const Place& a, cudaDataType type, cudaDataType computed) {
  auto is_known =
      type == CUDA_R_32F || type == CUDA_R_64F || type == CUDA_C_32F || type == CUDA_C_64F;
  return is_known && type == computed && a.rows >= 0 && a.columns >= 0 &&
         a.stride >= (a.rows > 1 ? a.rows : 1);
}

struct Work {
  void* on_card;
  size_t card_bytes;
  void* on_host;
  size_t host_bytes;
};

cusolverStatus_t say_bytes(bool fits, size_t* on_card, size_t* on_host) {
  if (!fits) return CUSOLVER_STATUS_INVALID_VALUE;
  *on_card = card_work_bytes;
  *on_host = host_work_bytes;
  return CUSOLVER_STATUS_SUCCESS;
}

/// Puts compute(zero) on the stream, which returns the info.
template <class Compute>
cusolverStatus_t put(
    Solver* solver, bool fits, cudaDataType type, const Work& work, int* info,
    const Compute& compute) {
  if (!fits || work.card_bytes < card_work_bytes || work.host_bytes < host_work_bytes)
    return CUSOLVER_STATUS_INVALID_VALUE;
  // Parts of the work are the host's.
  if (cannot_be_captured(solver->stream)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  solver->stream->put([=] {
    std::memset(work.on_card, 0x5a, work.card_bytes);
    std::memset(work.on_host, 0x5a, work.host_bytes);
    with_type(type, [&](auto zero) { *info = compute(zero); });
  });
  return CUSOLVER_STATUS_SUCCESS;
}

/// Makes of one half of a matrix its factor; returns the number of the first column without one.
template <class T>
int factor_cholesky(const Place& place, bool is_upper) {
  auto all = mapped<T>(place);
  Dense<Wide<T>> a = read<T>(place);
  if (is_upper) a.adjointInPlace();
  for (Eigen::Index k = 0; k < a.rows(); ++k) {
    auto pivot = std::real(a(k, k));
    if (!(pivot > 0)) return static_cast<int>(k + 1);
    a(k, k) = std::sqrt(pivot);
    auto rest = a.rows() - k - 1;
    a.col(k).tail(rest) /= a(k, k);
    a.bottomRightCorner(rest, rest) -= (a.col(k).tail(rest) * a.col(k).tail(rest).adjoint()).eval();
  }
  if (is_upper) a.adjointInPlace();
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.rows(); ++j)
      if (i == j || (j > i) == is_upper) all(i, j) = static_cast<T>(a(i, j));
  return 0;
}

template <class T>
int find_pivots(const Place& place, int64_t* exchanges) {
  Dense<Wide<T>> a = read<T>(place);
  int info = 0;
  for (Eigen::Index k = 0; k < std::min(a.rows(), a.cols()); ++k) {
    Eigen::Index pivot;
    a.col(k).tail(a.rows() - k).cwiseAbs().maxCoeff(&pivot);
    exchanges[k] = k + pivot + 1;
    a.row(k).swap(a.row(k + pivot));
    if (a(k, k) == Wide<T>(0)) {
      if (info == 0) info = static_cast<int>(k + 1);
      continue;
    }
    auto below = a.rows() - k - 1, behind = a.cols() - k - 1;
    a.col(k).tail(below) /= a(k, k);
    a.bottomRightCorner(below, behind) -= (a.col(k).tail(below) * a.row(k).tail(behind)).eval();
  }
  write<T>(place, a);
  return info;
}

template <class T>
int find_reflections(const Place& place, void* factors) {
  Eigen::HouseholderQR<Dense<Wide<T>>> qr(read<T>(place));
  write<T>(place, qr.matrixQR());
  // Eigen's are those of the adjoint reflections.
  for (Eigen::Index i = 0; i < qr.hCoeffs().size(); ++i)
    static_cast<T*>(factors)[i] = static_cast<T>(Eigen::numext::conj(qr.hCoeffs()(i)));
  return 0;
}

template <class T>
int find_eigenvalues(const Place& place, bool finds_vectors, bool is_upper, void* values) {
  Dense<Wide<T>> a = read<T>(place);
  if (is_upper) a.adjointInPlace();
  Eigen::SelfAdjointEigenSolver<Dense<Wide<T>>> solver(a);
  if (solver.info() != Eigen::Success) return 1;
  write_reals<T>(values, solver.eigenvalues());
  // Their sign is any.
  if (finds_vectors) write<T>(place, -solver.eigenvectors());
  else mapped<T>(place).setConstant(T(1234));
  return 0;
}

template <class T>
int find_singular_values(const Place& a, void* values, const Place& u, const Place& adjoint_v) {
  auto has_vectors = u.memory != nullptr;
  auto of_u = u.columns == a.columns ? Eigen::ComputeThinU : Eigen::ComputeFullU;
  Eigen::JacobiSVD<Dense<Wide<T>>> svd(read<T>(a), has_vectors ? of_u | Eigen::ComputeThinV : 0);
  write_reals<T>(values, svd.singularValues());
  mapped<T>(a).setConstant(T(1234));
  if (!has_vectors) return 0;
  write<T>(u, svd.matrixU());
  write<T>(adjoint_v, svd.matrixV().adjoint());
  return 0;
}

bool fits_singular_values(
    const Place& a, cudaDataType type, cudaDataType values, cudaDataType u, cudaDataType v,
    cudaDataType computed, signed char of_u, signed char of_v) {
  auto is_known = (of_u == 'N' && of_v == 'N') || ((of_u == 'S' || of_u == 'A') && of_v == 'S');
  return fits(a, type, computed) && a.rows >= a.columns && is_real_of(values, type) && u == type &&
         v == type && is_known;
}

}  // namespace
}  // namespace troupe::emulated

using namespace troupe::emulated;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  *handle = new Solver;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* parameters) {
  *parameters = new SolverParameters;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t parameters) {
  delete parameters;
  return CUSOLVER_STATUS_SUCCESS;
}
cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, int64_t n, cudaDataType type,
    const void*, int64_t stride, cudaDataType computed, size_t* on_card, size_t* on_host) {
  return say_bytes(fits({nullptr, n, n, stride}, type, computed), on_card, on_host);
}
cusolverStatus_t cusolverDnXpotrf(
    cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t half, int64_t n,
    cudaDataType type, void* a, int64_t stride, cudaDataType computed, void* card_work,
    size_t card_bytes, void* host_work, size_t host_bytes, int* info) {
  Place place{a, n, n, stride};
  return put(
      handle, fits(place, type, computed), type, {card_work, card_bytes, host_work, host_bytes},
      info, [=](auto zero) {
        return factor_cholesky<decltype(zero)>(place, half == CUBLAS_FILL_MODE_UPPER);
      });
}

cusolverStatus_t cusolverDnXgetrf_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type, const void*,
    int64_t stride, cudaDataType computed, size_t* on_card, size_t* on_host) {
  return say_bytes(fits({nullptr, m, n, stride}, type, computed), on_card, on_host);
}
cusolverStatus_t cusolverDnXgetrf(
    cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type, void* a,
    int64_t stride, int64_t* exchanges, cudaDataType computed, void* card_work, size_t card_bytes,
    void* host_work, size_t host_bytes, int* info) {
  Place place{a, m, n, stride};
  return put(
      handle, fits(place, type, computed), type, {card_work, card_bytes, host_work, host_bytes},
      info, [=](auto zero) { return find_pivots<decltype(zero)>(place, exchanges); });
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type, const void*,
    int64_t stride, cudaDataType factor_type, const void*, cudaDataType computed, size_t* on_card,
    size_t* on_host) {
  return say_bytes(
      fits({nullptr, m, n, stride}, type, computed) && factor_type == type, on_card, on_host);
}
cusolverStatus_t cusolverDnXgeqrf(
    cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n, cudaDataType type, void* a,
    int64_t stride, cudaDataType factor_type, void* factors, cudaDataType computed, void* card_work,
    size_t card_bytes, void* host_work, size_t host_bytes, int* info) {
  Place place{a, m, n, stride};
  return put(
      handle, fits(place, type, computed) && factor_type == type, type,
      {card_work, card_bytes, host_work, host_bytes}, info,
      [=](auto zero) { return find_reflections<decltype(zero)>(place, factors); });
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t, cublasFillMode_t, int64_t n,
    cudaDataType type, const void*, int64_t stride, cudaDataType value_type, const void*,
    cudaDataType computed, size_t* on_card, size_t* on_host) {
  return say_bytes(
      fits({nullptr, n, n, stride}, type, computed) && is_real_of(value_type, type), on_card,
      on_host);
}
cusolverStatus_t cusolverDnXsyevd(
    cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t mode, cublasFillMode_t half,
    int64_t n, cudaDataType type, void* a, int64_t stride, cudaDataType value_type, void* values,
    cudaDataType computed, void* card_work, size_t card_bytes, void* host_work, size_t host_bytes,
    int* info) {
  Place place{a, n, n, stride};
  return put(
      handle, fits(place, type, computed) && is_real_of(value_type, type), type,
      {card_work, card_bytes, host_work, host_bytes}, info, [=](auto zero) {
        return find_eigenvalues<decltype(zero)>(
            place, mode == CUSOLVER_EIG_MODE_VECTOR, half == CUBLAS_FILL_MODE_UPPER, values);
      });
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(
    cusolverDnHandle_t, cusolverDnParams_t, signed char of_u, signed char of_v, int64_t m,
    int64_t n, cudaDataType type, const void*, int64_t stride, cudaDataType value_type, const void*,
    cudaDataType u_type, const void*, int64_t, cudaDataType v_type, const void*, int64_t,
    cudaDataType computed, size_t* on_card, size_t* on_host) {
  return say_bytes(
      fits_singular_values(
          {nullptr, m, n, stride}, type, value_type, u_type, v_type, computed, of_u, of_v),
      on_card, on_host);
}
cusolverStatus_t cusolverDnXgesvd(
    cusolverDnHandle_t handle, cusolverDnParams_t, signed char of_u, signed char of_v, int64_t m,
    int64_t n, cudaDataType type, void* a, int64_t stride, cudaDataType value_type, void* values,
    cudaDataType u_type, void* u, int64_t u_stride, cudaDataType v_type, void* v, int64_t v_stride,
    cudaDataType computed, void* card_work, size_t card_bytes, void* host_work, size_t host_bytes,
    int* info) {
  Place place{a, m, n, stride},
      of_longer{of_u == 'N' ? nullptr : u, m, of_u == 'A' ? m : n, u_stride},
      of_shorter{v, n, n, v_stride};
  auto fits = fits_singular_values(place, type, value_type, u_type, v_type, computed, of_u, of_v) &&
              u_stride >= m && v_stride >= n;
  return put(
      handle, fits, type, {card_work, card_bytes, host_work, host_bytes}, info, [=](auto zero) {
        return find_singular_values<decltype(zero)>(place, values, of_longer, of_shorter);
      });
}

namespace troupe::cuda {

Status check_solver_library() { return {}; }

Result<const SolverCalls*> solver_calls() {
  static const SolverCalls calls{
      .create = cusolverDnCreate,
      .destroy = cusolverDnDestroy,
      .create_parameters = cusolverDnCreateParams,
      .destroy_parameters = cusolverDnDestroyParams,
      .set_stream = cusolverDnSetStream,
      .cholesky_bytes = cusolverDnXpotrf_bufferSize,
      .cholesky = cusolverDnXpotrf,
      .pivots_bytes = cusolverDnXgetrf_bufferSize,
      .pivots = cusolverDnXgetrf,
      .reflections_bytes = cusolverDnXgeqrf_bufferSize,
      .reflections = cusolverDnXgeqrf,
      .eigenvalues_bytes = cusolverDnXsyevd_bufferSize,
      .eigenvalues = cusolverDnXsyevd,
      .singular_values_bytes = cusolverDnXgesvd_bufferSize,
      .singular_values = cusolverDnXgesvd};
  return &calls;
}

}  // namespace troupe::cuda
