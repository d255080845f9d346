#include "troupe/devices/cpu/cpu_device.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/pool_allocator.hpp"

namespace troupe {
namespace {

uint64_t machine_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// TBB's workers are the process's, and the least of what its devices allow holds: so each allows
/// at least one a core, and one more that TBB keeps for a caller, who never computes here.
size_t workers_max(int threads) {
  return static_cast<size_t>(std::max(threads, tbb::info::default_concurrency())) + 1;
}

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(const CpuOptions& options)
      : threads_(options.threads > 0 ? options.threads : tbb::info::default_concurrency()),
        attributes_{
            .type = "CPU",
            .index = options.index,
            .memory_limit = options.memory_limit ? options.memory_limit : machine_memory(),
            .description = std::to_string(threads_) + " threads"},
        kernels_(cpu::make_kernel_catalog()),
        allocator_(attributes_.memory_limit),
        workers_(tbb::global_control::max_allowed_parallelism, workers_max(threads_)),
        arena_(threads_, /*reserved_for_masters=*/0) {}

  ~CpuDevice() noexcept override { CpuDevice::finish(); }

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return kernels_; }
  Allocator& allocator() override { return allocator_; }

  void enqueue(std::function<void()> work) override {
    arena_.enqueue(work_.defer(std::move(work)));
  }

  void finish() override {
    arena_.execute([this] { work_.wait(); });
  }

  void when_done(std::function<void()> then) override { then(); }
  void copy_to_host(Tensor tensor, std::function<void(Result<Tensor>)> done) override {
    done(std::move(tensor));
  }
  void copy_from_host(Tensor tensor, std::function<void(Result<Tensor>)> done) override {
    done(std::move(tensor));
  }

 private:
  int threads_;
  DeviceAttributes attributes_;
  KernelCatalog kernels_;
  cpu::PoolAllocator allocator_;
  tbb::global_control workers_;
  tbb::task_group work_;
  tbb::task_arena arena_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(const CpuOptions& options) {
  return std::make_unique<CpuDevice>(options);
}

}  // namespace troupe
