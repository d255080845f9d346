#include "troupe/devices/cpu/cpu_device.hpp"

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <unistd.h>

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/pool_allocator.hpp"
#include "troupe/graph/support/happens_before.hpp"

namespace troupe {
namespace {

uint64_t machine_memory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

/// TBB's limit on workers is the least of all limits in the process, so each device allows at least
/// one per core. TBB reserves one more for the calling thread, which never computes here.
size_t workers_max(int threads) {
  return static_cast<size_t>(std::max(threads, tbb::info::default_concurrency())) + 1;
}

/// The threads and the memory that the CPU devices of one task share.
struct Processor {
  explicit Processor(const CpuOptions& options)
      : threads(options.threads > 0 ? options.threads : tbb::info::default_concurrency()),
        memory_limit(options.memory_limit ? options.memory_limit : machine_memory()),
        allocator(memory_limit, options.shares_memory),
        workers(tbb::global_control::max_allowed_parallelism, workers_max(threads)),
        arena(threads, /*reserved_for_masters=*/0) {}

  int threads;
  uint64_t memory_limit;
  cpu::PoolAllocator allocator;
  tbb::global_control workers;
  tbb::task_arena arena;
};

class CpuDevice final : public Device {
 public:
  CpuDevice(std::shared_ptr<Processor> processor, int index)
      : processor_(std::move(processor)),
        attributes_{
            .type = "CPU",
            .index = index,
            .memory_limit = processor_->memory_limit,
            .description = std::to_string(processor_->threads) + " threads"},
        kernels_(cpu::make_kernel_catalog()),
        resource_kinds_(make_resource_kind_catalog()) {}

  ~CpuDevice() noexcept override { CpuDevice::finish(); }

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return kernels_; }
  const ResourceKindCatalog& resource_kinds() const override { return resource_kinds_; }
  Allocator& allocator() override { return processor_->allocator; }

  void enqueue(std::function<void()> work) override {
    processor_->arena.enqueue(work_.defer(in_order(std::move(work), done_)));
  }

  void trim() override {
    enqueue([this] { processor_->allocator.trim(); });
  }

  void finish() override {
    processor_->arena.execute([this] { work_.wait(); });
    done_.pass();
  }

 private:
  std::shared_ptr<Processor> processor_;
  DeviceAttributes attributes_;
  KernelCatalog kernels_;
  ResourceKindCatalog resource_kinds_;
  HappensBefore done_;  // before work_, whose tasks use it
  tbb::task_group work_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(const CpuOptions& options) {
  return std::move(make_cpu_devices(1, options).front());
}

std::vector<std::unique_ptr<Device>> make_cpu_devices(int count, const CpuOptions& options) {
  auto processor = std::make_shared<Processor>(options);
  std::vector<std::unique_ptr<Device>> devices;
  for (int index = 0; index < count; ++index)
    devices.push_back(std::make_unique<CpuDevice>(processor, index));
  return devices;
}

}  // namespace troupe
