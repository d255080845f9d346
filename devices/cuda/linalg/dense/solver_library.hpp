#pragma once

#include <mutex>

#include "troupe/devices/cuda/launch.hpp"
#include "troupe/devices/cuda/linalg/dense/solver_calls.hpp"

namespace troupe::cuda {

/// Matrices of [rows, columns] in column-major order, one after the other.
struct ColumnMatrices {
  DType dtype;
  void* memory;
  int64_t count, rows, columns;

  void* at(int64_t index) const {
    return static_cast<char*>(memory) +
           index * rows * columns * static_cast<int64_t>(size_of(dtype));
  }
};

/// cuSOLVER of a card: decompositions in the matrices' place, one call for each matrix. Functions
/// that take `infos` write one for each: 0, or where there is no such decomposition, another
/// number. None of the matrices may be empty. Thread-safe.
class SolverLibrary {
 public:
  explicit SolverLibrary(const Card&);
  ~SolverLibrary();
  SolverLibrary(const SolverLibrary&) = delete;

  /// The U of adjoint(U) * U; only the upper halves are read and written.
  Status factor_cholesky(const Launch& launch, const ColumnMatrices& matrices, int32_t* infos);
  /// The factors of a product whose rows are exchanged: `exchanges` has one for each row.
  Status find_pivots(const Launch& launch, const ColumnMatrices& matrices, int64_t* exchanges);
  /// Reflections and upper triangles (reflections.hpp).
  Status find_reflections(const Launch& launch, const ColumnMatrices& matrices, void* factors);

  // The library waits for the card in these.

  /// The eigenvalues in ascending order, as real numbers, and if wanted, eigenvectors as columns.
  /// Only the upper halves are read.
  Status find_eigenvalues(
      const Launch& launch, const ColumnMatrices& matrices, bool finds_vectors, void* values,
      int32_t* infos);
  /// matrix = u * diag(values) * adjoint(v), of matrices that have at least as many rows as
  /// columns, and that are lost; values in descending order, as real numbers. `u` has as many rows,
  /// and its columns are at first those of a decomposition without zeros; `adjoint_v` is square.
  /// Both or none have memory.
  Status find_singular_values(
      const Launch& launch, const ColumnMatrices& matrices, void* values, const ColumnMatrices& u,
      const ColumnMatrices& adjoint_v, int32_t* infos);

 private:
  /// The memory that a call works with, on the card and on the host.
  struct Work {
    void* on_card = nullptr;
    size_t card_bytes = 0;
    void* on_host = nullptr;
    size_t host_bytes = 0;
  };

  /// Calls bytes(calls, bytes on the card, on the host), then put(calls, work, i) for each of
  /// `count` matrices.
  template <class Bytes, class Put>
  Status put_each(
      const Launch& launch, int64_t count, const char* what, const Bytes& bytes, const Put& put);

  const SolverCalls* calls_ = nullptr;
  std::mutex mutex_;
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t parameters_ = nullptr;
  Status created_;
};

}  // namespace troupe::cuda
