#pragma once

#include <cuda.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "troupe/devices/cuda/launch.hpp"

namespace troupe::cuda {

/// The headers that compiled sources may include, by name: their texts.
const std::vector<std::pair<std::string_view, std::string_view>>& kernel_headers();

/// The code of a source for cards of that capability, as 90: of the machine, or, of a card that is
/// later than the compiler, PTX, which the driver compiles. An error has the compiler's words. No
/// card is needed.
Result<std::string> compile_kernels(const std::string& source, int capability);

/// Where machine code is kept from run to run: the folder that the environment variable
/// TROUPE_KERNEL_CACHE names, or troupe/kernels in the user's folder of caches; "" where there is
/// none.
std::string kernel_cache_folder();

/// Kernels that are compiled where the program runs, for a card. Each source is compiled once, and
/// kept on disk by its hash. Thread-safe.
class CompiledKernels {
 public:
  explicit CompiledKernels(const Card& card);
  ~CompiledKernels();
  CompiledKernels(const CompiledKernels&) = delete;

  /// The kernel of that name in the source. The first time takes the time of a compiler. An error,
  /// which is kept as a kernel is, says why there is none; ResourceExhausted where there are as
  /// many as a card keeps. What the kernel is to compute is then computed without it.
  Result<CUfunction> find(const std::string& source, const char* name);

  /// Starts a kernel with those addresses of parameters.
  Status start(
      CUfunction kernel, unsigned blocks, dim3 threads, CUstream stream, void** parameters);

 private:
  static constexpr size_t kernels_max = 512;

  struct Loaded {
    CUmodule module;
    CUfunction kernel;
  };

  /// What is known of a source, or what load() returns for it.
  template <class Load>
  Result<CUfunction> find_or(const std::string& source, const Load& load) {
    std::lock_guard lock(mutex_);
    auto found = kernels_.find(source);
    if (found == kernels_.end()) {
      if (kernels_.size() >= kernels_max)
        return resource_exhausted(
            "a card keeps at most " + std::to_string(kernels_max) + " compiled kernels");
      found = kernels_.emplace(source, load()).first;
    }
    const auto& loaded = found->second;
    return loaded ? Result<CUfunction>(loaded->kernel) : Result<CUfunction>(loaded.status());
  }
  Result<Loaded> load(const std::string& source, const char* name) const;
  Result<std::string> machine_code(const std::string& source) const;

  const int capability_;
  std::mutex mutex_;
  std::map<std::string, Result<Loaded>> kernels_;  // by their source
};

}  // namespace troupe::cuda
