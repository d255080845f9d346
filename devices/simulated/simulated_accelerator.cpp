#include "troupe/devices/simulated/simulated_accelerator.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "troupe/devices/accelerator/host_side_kernels.hpp"
#include "troupe/devices/control_flow.hpp"
#include "troupe/devices/cpu/pool_allocator.hpp"
#include "troupe/devices/memory/host_arguments.hpp"
#include "troupe/devices/session_tensor_kernels.hpp"
#include "troupe/devices/simulated/simulated_stream.hpp"
#include "troupe/devices/temporary_variable.hpp"
#include "troupe/devices/transfer.hpp"

namespace troupe {
namespace {

/// What a copy to the host copies at a time, where it can be sent meanwhile.
constexpr size_t copy_piece_bytes = 16 << 10;

/// Whether the work that writes a block has run.
struct Block {
  std::atomic<bool> is_written{false};
};
using Blocks = std::vector<std::shared_ptr<Block>>;

Status check_written(const Blocks& blocks) {
  auto is_written = [](const auto& block) { return block->is_written.load(); };
  if (std::ranges::all_of(blocks, is_written)) return {};
  return internal("device memory is read before the work that writes it: an order was forgotten");
}

/// Accumulators, barriers, mutexes and staging areas, whose kernels wait.
bool is_data_flow(std::string_view op) {
  for (auto word :
       {"Accumulator", "Barrier", "Mutex", "Stage", "Unstage", "MapPeek", "MapSize", "MapClear",
        "MapIncompleteSize", "MapUnstage"})
    if (op.find(word) != std::string_view::npos) return true;
  return false;
}

/// Files are the host's: as on a GPU, their ops have no kernel here.
bool is_for_hosts_only(std::string_view op) {
  return is_data_flow(op) || op.starts_with("Save") || op.starts_with("Restore") ||
         op == "MergeV2Checkpoints" || op.starts_with("ShardedFile") || op == "RemoveCheckpoint";
}

/// Device memory as CPU kernels see it, which compute in it while a launch is made.
class HostSide final : public Device {
 public:
  HostSide(const KernelCatalog& kernels, const DeviceAttributes& attributes, uint64_t memory_limit)
      : kernels_(kernels), attributes_(attributes), memory_(memory_limit) {}

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return kernels_; }
  Allocator& allocator() override { return memory_; }
  uint64_t memory_in_use() const { return memory_.bytes_in_use(); }
  void enqueue(std::function<void()> work) override { work(); }

 private:
  const KernelCatalog& kernels_;
  const DeviceAttributes& attributes_;
  cpu::PoolAllocator memory_;
};

class Accelerator final : public SimulatedAccelerator {
 public:
  explicit Accelerator(SimulatedAcceleratorOptions options)
      : options_(std::move(options)),
        attributes_{
            .type = options_.type,
            .index = options_.index,
            .memory_limit = options_.memory_limit,
            .description = "simulated, asynchronous"},
        host_side_(*options_.kernels, attributes_, options_.memory_limit),
        resource_kinds_(make_resource_kind_catalog()),
        allocator_(*this),
        stream_(options_.later) {
    add_kernels();
  }

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return kernels_; }
  const ResourceKindCatalog& resource_kinds() const override { return resource_kinds_; }
  Allocator& allocator() override { return allocator_; }
  Allocator& host_allocator() override { return heap_allocator(); }
  void enqueue(std::function<void()> work) override { options_.later(std::move(work)); }
  Stream* stream() override { return &stream_; }

  Result<Tensor> copy_in(const Tensor& from) override {
    if (!is_plain(from.dtype())) return from;
    auto* source = device_of(from);
    if (source == this) return from;
    ++copies_in_;
    Blocks read;
    if (source) {
      stream_.wait(source->stream()->record());
      read.push_back(static_cast<Accelerator*>(source)->block_of(from.raw()));
    }
    auto copy = Tensor::allocate(from.dtype(), from.shape(), host_side_.allocator());
    if (!copy) return copy;
    std::memcpy(copy->mutable_raw(), from.raw(), from.bytes());
    auto written = block_of(copy->raw());
    stream_.enqueue([from, read, written] {
      auto status = check_written(read);
      written->is_written = true;
      return status;
    });
    return to_device(*std::move(copy));
  }

  void copy_to_host(const Tensor& from, std::function<void(Result<Tensor>)> done) override {
    ++copies_to_host_;
    auto copy = std::make_shared<Tensor>();
    stream_.enqueue([this, from, copy]() -> Status {
      if (auto status = check_written({block_of(from.raw())}); !status.ok()) return status;
      auto made = Tensor::allocate(from.dtype(), from.shape(), host_allocator());
      if (!made) return made.status();
      std::memcpy(made->mutable_raw(), from.raw(), from.bytes());
      *copy = *std::move(made);
      return {};
    });
    stream_.when_done([copy, done = std::move(done)](const Status& status) {
      done(status.ok() ? Result<Tensor>(*copy) : Result<Tensor>(status));
    });
  }

  void copy_to_host_in_pieces(
      const Tensor& from, const Begun& begun, std::function<void(Result<Tensor>)> done) override {
    if (from.bytes() <= copy_piece_bytes) return copy_to_host(from, std::move(done));
    ++copies_to_host_;
    auto to = Tensor::allocate(from.dtype(), from.shape(), host_allocator());
    if (!to) return done(to.status());
    auto filling = accelerator::FillingMemory::begin(*to);
    begun(filling);
    auto* memory = static_cast<std::byte*>(to->mutable_raw());
    for (size_t begin = 0; begin < from.bytes(); begin += copy_piece_bytes) {
      auto end = std::min(begin + copy_piece_bytes, from.bytes());
      stream_.enqueue([this, from, memory, begin, end]() -> Status {
        if (auto status = check_written({block_of(from.raw())}); !status.ok()) return status;
        const auto* data = static_cast<const std::byte*>(from.raw());
        std::memcpy(memory + begin, data + begin, end - begin);
        return {};
      });
      stream_.when_done([filling, end](const Status& status) {
        auto& copy = *accelerator::FillingMemory::of(filling);
        status.ok() ? copy.set_ready(end) : copy.fail();
      });
    }
    stream_.when_done([to = *to, done = std::move(done)](const Status& status) {
      done(status.ok() ? Result<Tensor>(to) : Result<Tensor>(status));
    });
  }

  void copy_in_in_pieces(const Tensor& filling, Copied copied) override {
    ++copies_in_;
    auto to = Tensor::allocate(filling.dtype(), filling.shape(), host_side_.allocator());
    auto put_what_is_ready = [this, filling, copied, to = to ? to_device(*to) : Tensor(),
                              put = std::make_shared<size_t>(0)] {
      auto ready = accelerator::FillingMemory::of(filling)->ready_bytes();
      auto begin = std::exchange(*put, ready);
      auto is_full = ready == filling.bytes();
      if (begin == ready) return;
      if (!to.is_set()) return is_full ? copied(filling) : void();
      stream_.enqueue([this, filling, to, begin, ready, is_full] {
        auto* memory = static_cast<std::byte*>(const_cast<void*>(to.raw()));
        std::memcpy(
            memory + begin, static_cast<const std::byte*>(filling.raw()) + begin, ready - begin);
        if (is_full) block_of(to.raw())->is_written = true;
        return Status();
      });
      if (is_full)
        stream_.when_done(
            [filling, copied, to](const Status& status) { copied(status.ok() ? to : filling); });
    };
    accelerator::FillingMemory::of(filling)->on_change(put_what_is_ready);
    put_what_is_ready();
  }

  Result<Kernel> make_host_kernel(const Node& node) override {
    return accelerator::make_for_host(host_side_, node);
  }

  uint64_t memory_in_use() const override { return host_side_.memory_in_use(); }
  void fail_next_kernel(Status status) override {
    std::lock_guard lock(mutex_);
    next_error_ = std::move(status);
  }
  uint64_t copies_in() const override { return copies_in_; }
  uint64_t copies_to_host() const override { return copies_to_host_; }
  void drop_work() override { stream_.drop(); }

 private:
  class Memory final : public DeviceAllocator {
   public:
    explicit Memory(Accelerator& owner) : owner_(owner) {}
    Device& device() const override { return owner_; }
    void* allocate(size_t bytes) override { return owner_.host_side_.allocator().allocate(bytes); }
    void deallocate(void* memory, size_t bytes) noexcept override {
      owner_.host_side_.allocator().deallocate(memory, bytes);
    }
    MemoryUse use() const override { return owner_.host_side_.allocator().use(); }

   private:
    Accelerator& owner_;
  };

  // -- memory

  std::shared_ptr<Block> block_of(const void* memory) {
    std::lock_guard lock(mutex_);
    auto& block = blocks_[memory];
    auto known = block.lock();
    if (!known) block = known = std::make_shared<Block>();
    return known;
  }

  /// The same memory as a tensor of the device, which keeps its block.
  Tensor to_device(Tensor memory) {
    auto* data = memory.mutable_raw();
    auto block = block_of(data);
    auto dtype = memory.dtype();
    auto shape = memory.shape();
    return Tensor::alias(
        dtype, shape, data, [memory = std::move(memory), block] {}, &allocator_);
  }
  static Tensor to_host_side(const Tensor& tensor) {
    return Tensor::alias(
        tensor.dtype(), tensor.shape(), const_cast<void*>(tensor.raw()), [tensor] {});
  }

  // -- kernels

  void add_kernels() {
    add_transfer_kernels(kernels_);
    add_control_flow_kernels(kernels_);
    add_temporary_variable_kernels(kernels_);
    add_session_tensor_kernels(kernels_);
    for (const auto& op : options_.kernels->ops())
      if (!kernels_.contains(op) && !is_for_hosts_only(op))
        kernels_.add(op, [this](const Node& node) { return make_kernel(node); });
    declare_host_arguments(kernels_);
  }

  Result<Kernel> make_kernel(const Node& node) {
    auto kernel = options_.kernels->make(node);
    if (!kernel) return kernel;
    // A simulation has one thread, so no update runs while another kernel reads.
    if (std::exchange(kernel->start, nullptr))
      kernel->compute = [read = std::exchange(kernel->try_now, nullptr)](Launch& launch) {
        return read(launch).value();
      };
    CHECK(kernel->compute);
    kernel->compute = [this, compute = std::move(kernel->compute),
                       outputs = static_cast<int>(node.output_dtypes.size()),
                       host_outputs = host_arguments_of(node.op->name()).outputs](Launch& launch) {
      return run(compute, launch, outputs, host_outputs);
    };
    return kernel;
  }

  Status run(
      const std::function<Status(Launch&)>& compute, Launch& launch, int output_count,
      const std::vector<int>& host_outputs) {
    Tensors inputs, outputs(static_cast<size_t>(output_count));
    Blocks read, written;
    for (int i = 0; i < launch.input_count(); ++i) {
      const auto& input = launch.input(i);
      auto is_here = input.memory() == MemoryKind::device;
      if (is_here) read.push_back(block_of(input.raw()));
      inputs.push_back(is_here ? to_host_side(input) : input);
    }
    Launch inner(
        host_side_, {.resources = &launch.step_resources(), .item = launch.item()}, inputs,
        outputs);
    if (auto status = compute(inner); !status.ok()) return status;
    for (int i = 0; i < output_count; ++i) {
      auto& output = outputs[static_cast<size_t>(i)];
      if (!output.is_set()) continue;
      if (is_plain(output.dtype()) && !std::ranges::count(host_outputs, i)) {
        written.push_back(block_of(output.raw()));
        output = to_device(std::move(output));
      }
      launch.set(i, std::move(output));
    }
    stream_.enqueue([read, written, error = take_error()] {
      auto status = error.ok() ? check_written(read) : error;
      for (const auto& block : written) block->is_written = true;
      return status;
    });
    return {};
  }

  Status take_error() {
    std::lock_guard lock(mutex_);
    return std::exchange(next_error_, Status());
  }

  SimulatedAcceleratorOptions options_;
  DeviceAttributes attributes_;
  HostSide host_side_;
  ResourceKindCatalog resource_kinds_;
  Memory allocator_;
  SimulatedStream stream_;
  KernelCatalog kernels_;
  std::mutex mutex_;
  std::map<const void*, std::weak_ptr<Block>> blocks_;
  Status next_error_;
  std::atomic<uint64_t> copies_in_{0};
  std::atomic<uint64_t> copies_to_host_{0};
};

}  // namespace

std::unique_ptr<SimulatedAccelerator> make_simulated_accelerator(
    SimulatedAcceleratorOptions options) {
  return std::make_unique<Accelerator>(std::move(options));
}

}  // namespace troupe
