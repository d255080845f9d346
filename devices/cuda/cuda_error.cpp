#include "troupe/devices/cuda/cuda_error.hpp"

#include <string>

namespace troupe::cuda {

Status to_status(cudaError_t error, std::string_view what) {
  if (error == cudaSuccess) return {};
  auto message = "CUDA, " + std::string(what) + ": " + cudaGetErrorName(error) + " (" +
                 cudaGetErrorString(error) + ")";
  if (error == cudaErrorMemoryAllocation) return resource_exhausted(std::move(message));
  return internal(std::move(message));
}

}  // namespace troupe::cuda
