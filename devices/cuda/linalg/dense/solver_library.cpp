#if TROUPE_CUSOLVER
#include "troupe/devices/cuda/linalg/dense/solver_library.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace troupe::cuda {
namespace {

Status solver_status(cusolverStatus_t result, const char* what) {
  if (result == CUSOLVER_STATUS_SUCCESS) return {};
  auto message = std::string("cuSOLVER could not ") + what + ": error " +
                 std::to_string(static_cast<int>(result));
  switch (result) {
    case CUSOLVER_STATUS_ALLOC_FAILED: return resource_exhausted(message + ", there is no memory");
    case CUSOLVER_STATUS_NOT_SUPPORTED: return unimplemented(message + ", it is not supported");
    default: return internal(message);
  }
}

cudaDataType_t type_of(DType dtype) {
  switch (dtype) {
    case DType::float64: return CUDA_R_64F;
    case DType::complex64: return CUDA_C_32F;
    case DType::complex128: return CUDA_C_64F;
    default: return CUDA_R_32F;
  }
}

/// Of the real numbers that belong to elements of that dtype.
bool has_doubles(DType dtype) { return dtype == DType::float64 || dtype == DType::complex128; }
cudaDataType_t real_type_of(DType dtype) { return has_doubles(dtype) ? CUDA_R_64F : CUDA_R_32F; }

/// The real numbers of a matrix, of which each has so many.
void* reals_of(DType dtype, void* reals, int64_t index, int64_t each) {
  auto bytes = has_doubles(dtype) ? sizeof(double) : sizeof(float);
  return static_cast<char*>(reals) + index * each * static_cast<int64_t>(bytes);
}

}  // namespace

SolverLibrary::SolverLibrary(const Card&) {
  auto calls = solver_calls();
  created_ = calls.status();
  if (!calls) return;
  calls_ = *calls;
  created_ = solver_status(calls_->create(&handle_), "start");
  if (created_.ok()) created_ = solver_status(calls_->create_parameters(&parameters_), "start");
}

SolverLibrary::~SolverLibrary() {
  if (parameters_) calls_->destroy_parameters(parameters_);
  if (handle_) calls_->destroy(handle_);
}

template <class Bytes, class Put>
Status SolverLibrary::put_each(
    const Launch& launch, int64_t count, const char* what, const Bytes& bytes, const Put& put) {
  if (!created_.ok()) return created_;
  std::lock_guard lock(mutex_);
  Work work;
  auto result = calls_->set_stream(handle_, stream_of(launch));
  if (result == CUSOLVER_STATUS_SUCCESS) result = bytes(&work.card_bytes, &work.host_bytes);
  if (result != CUSOLVER_STATUS_SUCCESS) return solver_status(result, what);
  auto on_card = scratch(launch, std::max<size_t>(work.card_bytes, 1));
  if (!on_card) return on_card.status();
  work.on_card = on_card->mutable_raw();
  // One for each matrix: what is called may go on with its memory when it has returned.
  auto on_host = std::make_shared<std::vector<std::vector<char>>>();
  for (int64_t i = 0; i < count && result == CUSOLVER_STATUS_SUCCESS; ++i) {
    if (work.host_bytes > 0) {
      on_host->emplace_back(work.host_bytes);
      work.on_host = on_host->back().data();
    }
    result = put(work, i);
  }
  if (work.host_bytes > 0) launch.stream()->when_done([on_host](const Status&) {});
  return solver_status(result, what);
}

Status SolverLibrary::factor_cholesky(
    const Launch& launch, const ColumnMatrices& matrices, int32_t* infos) {
  auto type = type_of(matrices.dtype);
  auto n = matrices.rows;
  return put_each(
      launch, matrices.count, "decompose matrices by Cholesky",
      [&](size_t* on_card, size_t* on_host) {
        return calls_->cholesky_bytes(
            handle_, parameters_, CUBLAS_FILL_MODE_UPPER, n, type, matrices.memory, n, type,
            on_card, on_host);
      },
      [&](const Work& work, int64_t i) {
        return calls_->cholesky(
            handle_, parameters_, CUBLAS_FILL_MODE_UPPER, n, type, matrices.at(i), n, type,
            work.on_card, work.card_bytes, work.on_host, work.host_bytes, infos + i);
      });
}

Status SolverLibrary::find_pivots(
    const Launch& launch, const ColumnMatrices& matrices, int64_t* exchanges) {
  auto type = type_of(matrices.dtype);
  auto n = matrices.rows;
  // That a pivot is 0 is seen in the factors.
  auto info = scratch(launch, sizeof(int32_t));
  if (!info) return info.status();
  return put_each(
      launch, matrices.count, "decompose matrices with pivots",
      [&](size_t* on_card, size_t* on_host) {
        return calls_->pivots_bytes(
            handle_, parameters_, n, n, type, matrices.memory, n, type, on_card, on_host);
      },
      [&](const Work& work, int64_t i) {
        return calls_->pivots(
            handle_, parameters_, n, n, type, matrices.at(i), n, exchanges + i * n, type,
            work.on_card, work.card_bytes, work.on_host, work.host_bytes, out<int>(*info));
      });
}

Status SolverLibrary::find_reflections(
    const Launch& launch, const ColumnMatrices& matrices, void* factors) {
  auto type = type_of(matrices.dtype);
  auto rows = matrices.rows, columns = matrices.columns;
  auto each = std::min(rows, columns) * static_cast<int64_t>(size_of(matrices.dtype));
  auto info = scratch(launch, sizeof(int32_t));
  if (!info) return info.status();
  return put_each(
      launch, matrices.count, "decompose matrices by reflections",
      [&](size_t* on_card, size_t* on_host) {
        return calls_->reflections_bytes(
            handle_, parameters_, rows, columns, type, matrices.memory, rows, type, factors, type,
            on_card, on_host);
      },
      [&](const Work& work, int64_t i) {
        return calls_->reflections(
            handle_, parameters_, rows, columns, type, matrices.at(i), rows, type,
            static_cast<char*>(factors) + i * each, type, work.on_card, work.card_bytes,
            work.on_host, work.host_bytes, out<int>(*info));
      });
}

Status SolverLibrary::find_eigenvalues(
    const Launch& launch, const ColumnMatrices& matrices, bool finds_vectors, void* values,
    int32_t* infos) {
  auto type = type_of(matrices.dtype), reals = real_type_of(matrices.dtype);
  auto n = matrices.rows;
  auto mode = finds_vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  return put_each(
      launch, matrices.count, "find eigenvalues",
      [&](size_t* on_card, size_t* on_host) {
        return calls_->eigenvalues_bytes(
            handle_, parameters_, mode, CUBLAS_FILL_MODE_UPPER, n, type, matrices.memory, n, reals,
            values, type, on_card, on_host);
      },
      [&](const Work& work, int64_t i) {
        return calls_->eigenvalues(
            handle_, parameters_, mode, CUBLAS_FILL_MODE_UPPER, n, type, matrices.at(i), n, reals,
            reals_of(matrices.dtype, values, i, n), type, work.on_card, work.card_bytes,
            work.on_host, work.host_bytes, infos + i);
      });
}

Status SolverLibrary::find_singular_values(
    const Launch& launch, const ColumnMatrices& matrices, void* values, const ColumnMatrices& u,
    const ColumnMatrices& adjoint_v, int32_t* infos) {
  auto type = type_of(matrices.dtype), reals = real_type_of(matrices.dtype);
  auto rows = matrices.rows, columns = matrices.columns;
  auto has_vectors = u.memory != nullptr;
  signed char of_u = !has_vectors           ? 'N'
                     : u.columns == columns ? 'S'
                                            : 'A',
              of_v = has_vectors ? 'S' : 'N';
  return put_each(
      launch, matrices.count, "find singular values",
      [&](size_t* on_card, size_t* on_host) {
        return calls_->singular_values_bytes(
            handle_, parameters_, of_u, of_v, rows, columns, type, matrices.memory, rows, reals,
            values, type, u.memory, rows, type, adjoint_v.memory, columns, type, on_card, on_host);
      },
      [&](const Work& work, int64_t i) {
        return calls_->singular_values(
            handle_, parameters_, of_u, of_v, rows, columns, type, matrices.at(i), rows, reals,
            reals_of(matrices.dtype, values, i, columns), type, has_vectors ? u.at(i) : nullptr,
            rows, type, has_vectors ? adjoint_v.at(i) : nullptr, columns, type, work.on_card,
            work.card_bytes, work.on_host, work.host_bytes, infos + i);
      });
}

}  // namespace troupe::cuda

#endif
