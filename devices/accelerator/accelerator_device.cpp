#include "troupe/devices/accelerator/accelerator_device.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "troupe/devices/accelerator/captured_piece.hpp"
#include "troupe/devices/accelerator/copies_out.hpp"
#include "troupe/devices/accelerator/driver_stream.hpp"
#include "troupe/devices/accelerator/filling_copy.hpp"
#include "troupe/devices/accelerator/host_side_kernels.hpp"
#include "troupe/devices/accelerator/staged_copies.hpp"

namespace troupe::accelerator {
namespace {

/// Copies of at most so many bytes go with the kernels: an order between two lanes would cost more.
constexpr size_t small_bytes = 64 << 10;
/// Copies of at least so many bytes are there before work that needs them is put on the stream.
constexpr size_t long_bytes = 1 << 20;
/// Copies of at least so many bytes can be sent while they are made: of two pieces and more.
constexpr size_t filling_bytes_min = 8 << 20;
/// Fetched tensors of more bytes are not pinned.
constexpr size_t pinned_bytes = 256 << 20;
/// The start of a kernel that says nothing of its cost, as the executor counts it: where it became
/// ready it is started.
constexpr int64_t start_ns = 3000;

/// Device memory for tensors. It counts itself and what it gave out, and deletes itself with the
/// last of both: tensors of variables may outlive the device.
class DeviceMemory final : public DeviceAllocator {
 public:
  DeviceMemory(
      Device& device, std::shared_ptr<StreamOrderedPool> pool, std::shared_ptr<GraphCache> graphs)
      : device_(device), pool_(std::move(pool)), graphs_(std::move(graphs)) {}

  /// Until the device ends.
  Device& device() const override { return device_; }

  void* allocate(size_t bytes) override {
    auto* memory = pool_->allocate(bytes, lane_of_thread);
    if (!memory && graphs_->give_up_memory()) memory = pool_->allocate(bytes, lane_of_thread);
    if (memory) references_.fetch_add(1, std::memory_order_relaxed);
    return memory;
  }
  void deallocate(void* memory, size_t bytes) noexcept override {
    pool_->deallocate(memory, bytes);
    release();
  }
  MemoryUse use() const override { return pool_->use(); }

  /// A tensor that work of that lane writes first.
  Result<Tensor> make(DType dtype, const Shape& shape, Lane lane) {
    lane_of_thread = lane;
    auto tensor = Tensor::allocate(dtype, shape, *this);
    lane_of_thread = Lane::compute;
    return tensor;
  }

  void release() noexcept {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  static thread_local Lane lane_of_thread;

  Device& device_;
  const std::shared_ptr<StreamOrderedPool> pool_;
  const std::shared_ptr<GraphCache> graphs_;
  std::atomic<int64_t> references_{1};
};
thread_local Lane DeviceMemory::lane_of_thread = Lane::compute;

struct ReleaseMemory {
  void operator()(DeviceMemory* memory) const { memory->release(); }
};

/// Names the op whose kernel allocates.
class HolderScope {
 public:
  explicit HolderScope(const char* name) : before_(StreamOrderedPool::set_holder(name)) {}
  HolderScope(const HolderScope&) = delete;
  ~HolderScope() { StreamOrderedPool::set_holder(before_); }

 private:
  const char* before_;
};

GraphOptions with_limit(GraphOptions graphs, uint64_t device_bytes) {
  if (graphs.bytes_max == 0) graphs.bytes_max = device_bytes / 2;
  return graphs;
}

class CardDevice final : public AcceleratorDevice {
 public:
  explicit CardDevice(AcceleratorOptions options)
      : driver_(std::move(options.driver)),
        host_(std::move(options.host)),
        attributes_{
            .type = std::move(options.type),
            .index = options.index,
            .memory_limit = options.memory.limit_bytes,
            .description = driver_->facts().name},
        pool_(std::make_shared<StreamOrderedPool>(driver_, options.memory)),
        pinned_(driver_, options.pinned),
        staged_(driver_, pinned_),
        graphs_(std::make_shared<GraphCache>(
            with_limit(std::move(options.graphs), options.memory.limit_bytes))),
        memory_(new DeviceMemory(*this, pool_, graphs_)),
        stream_(driver_, pool_) {
    add_variable_kind(resource_kinds_);
    add_staging_area_kind(resource_kinds_);
    add_staging_map_kind(resource_kinds_);
    add_kernels(options.kernels);
  }

  ~CardDevice() noexcept override { driver_->finish(); }

  const DeviceAttributes& attributes() const override { return attributes_; }
  const KernelCatalog& kernels() const override { return kernels_; }
  const ResourceKindCatalog& resource_kinds() const override { return resource_kinds_; }
  Allocator& allocator() override {
    if (auto* arena = CaptureArena::of_thread()) return *arena;
    return *memory_;
  }
  Allocator& host_allocator() override { return pinned_; }
  Stream* stream() override { return &stream_; }
  Driver& driver() const override { return *driver_; }
  std::shared_ptr<Driver> shared_driver() const override { return driver_; }
  std::string describe_memory() const override { return pool_->describe(); }
  std::string describe_graphs() const override { return graphs_->describe(); }
  uint64_t bytes_reserved() const override { return pool_->bytes_reserved(); }
  Result<std::shared_ptr<const SharedRegion>> share(const Tensor& tensor) override {
    return pool_->share(tensor.raw());
  }
  Status reserve() { return pool_->reserve(); }

  void enqueue(std::function<void()> work) override { host_->enqueue(std::move(work)); }

  void trim() override {
    enqueue([pool = pool_, this] {
      graphs_->drop_all();
      pool->trim();
      pinned_.trim();
    });
  }

  void finish() override {
    host_->finish();
    driver_->finish();
  }

  Result<Tensor> copy_in(const Tensor& from) override {
    auto copy = put_copy(from);
    if (copy && copy->lane != Lane::compute)
      driver_->wait(Lane::compute, driver_->record(copy->lane));
    return copy ? Result<Tensor>(copy->tensor) : copy.status();
  }

  bool is_long_copy(const Tensor& from) const override {
    return is_plain(from.dtype()) && (device_of(from) != this || is_of_peer(from)) &&
           from.bytes() >= long_bytes;
  }

  void copy_in_async(const Tensor& from, std::function<void(Result<Tensor>)> done) override {
    auto copy = put_copy(from);
    if (!copy) return done(copy.status());
    driver_->when_reached(
        copy->lane, [tensor = copy->tensor, done = std::move(done)](const Status& status) {
          done(status.ok() ? Result<Tensor>(tensor) : Result<Tensor>(status));
        });
  }

  void copy_to_host(const Tensor& from, std::function<void(Result<Tensor>)> done) override {
    copy_to_host_in_pieces(from, {}, std::move(done));
  }

  void copy_to_host_in_pieces(
      const Tensor& from, const Begun& begun, std::function<void(Result<Tensor>)> done) override {
    if (auto status = check_works(); !status.ok()) return done(status);
    auto [copy, is_new] = copies_out_->find_or_add(from);
    auto bytes = from.bytes();
    Result<Tensor> to = Tensor();
    if (is_new) {
      auto& memory = bytes <= pinned_bytes ? host_allocator() : host_->allocator();
      to = Tensor::allocate(from.dtype(), from.shape(), memory);
      if (to && begun && bytes >= filling_bytes_min)
        copies_out_->set_filling(*copy, FillingMemory::begin(*to));
    }
    // `done` may end the launch that waits for it, and so comes after `begun`.
    auto filling = copies_out_->filling(*copy);
    if (begun && filling.is_set()) begun(filling);
    copies_out_->await(*copy, std::move(done));
    if (!is_new) return;
    if (!to) return copies_out_->end(copy, to.status());
    put_copy_out(copy, *std::move(to), filling);
  }

  void copy_in_in_pieces(const Tensor& filling, Copied copied) override {
    FillingCopy::begin(
        driver_, staged_, make_copy(filling, Lane::copy_in), filling, std::move(copied));
  }

  Result<Kernel> make_host_kernel(const Node& node) override { return make_for_host(*host_, node); }

  int piece_launches_min() const override {
    return graphs_->options().are_kept ? graphs_->options().launches_min : 0;
  }

  Kernel make_piece_kernel(std::shared_ptr<const PlanPiece> piece) override {
    auto kernel = make_captured_piece(std::move(piece), {*this, driver_, pool_, graphs_});
    kernel.compute = [this, compute = std::move(kernel.compute)](Launch& launch) {
      return start_kernel(compute, "pieces", launch);
    };
    return kernel;
  }

 private:
  // -- copies

  /// A tensor of the device that work of the lane fills, if it is not there already.
  struct Copy {
    Tensor tensor;
    Lane lane = Lane::compute;
  };

  Result<Copy> put_copy(const Tensor& from) {
    if (!is_plain(from.dtype())) return Copy{from};
    auto* source = device_of(from);
    if (source == this && !is_of_peer(from)) return Copy{from};
    auto bytes = from.bytes();
    auto lane = source ? Lane::peer : bytes <= small_bytes ? Lane::compute : Lane::copy_in;
    auto to = make_copy(from, lane);
    if (!to) return to.status();
    if (bytes == 0) return Copy{*to};
    auto status = source ? put_copy_from_peer(*to, from, *source) : staged_.put_in(lane, *to, from);
    return status.ok() ? Result<Copy>(Copy{*std::move(to), lane}) : Result<Copy>(status);
  }

  /// A tensor as `from`, which work of the lane is to fill.
  Result<Tensor> make_copy(const Tensor& from, Lane lane) {
    if (auto status = check_works(); !status.ok()) return status;
    HolderScope scope("copies");
    auto to = memory_->make(from.dtype(), from.shape(), lane);
    return to ? to : Result<Tensor>(with_holders(to.status()));
  }

  void put_copy_out(
      const std::shared_ptr<CopiesOut::Copy>& copy, Tensor to, const Tensor& filling) {
    auto lane = to.bytes() <= small_bytes ? Lane::compute : Lane::copy_out;
    if (lane != Lane::compute) driver_->wait(lane, driver_->record(Lane::compute));
    StagedCopies::Reached reached;
    if (filling.is_set())
      reached = [filling](size_t bytes, const Status& status) {
        auto* memory = FillingMemory::of(filling);
        status.ok() ? memory->set_ready(bytes) : memory->fail();
      };
    if (auto status = staged_.put_out(lane, to, copy->from, reached); !status.ok()) {
      if (reached) reached(0, status);
      return copies_out_->end(copy, status);
    }
    driver_->when_reached(
        lane, [copies = copies_out_, copy, to = std::move(to)](const Status& status) mutable {
          copies->end(copy, status.ok() ? Result<Tensor>(std::move(to)) : Result<Tensor>(status));
        });
  }

  Status put_copy_from_peer(Tensor& to, const Tensor& from, Device& device) {
    auto* source = dynamic_cast<AcceleratorDevice*>(&device);
    if (!source) return internal("a tensor of another kind of device cannot be copied here");
    // Another process has waited for the work that writes what it lends.
    if (!is_of_peer(from)) driver_->wait(Lane::peer, source->driver().record(Lane::compute));
    driver_->copy_peer(Lane::peer, to.mutable_raw(), source->driver(), from.raw(), from.bytes());
    driver_->when_reached(Lane::peer, [from](const Status&) {});  // SP-1
    return {};
  }

  // -- kernels

  void add_kernels(const KernelCatalog& of_card) {
    KernelCatalog all;
    for (const auto& op : of_card.ops())
      all.add(op, [this, op, make = of_card.find(op)](const Node& node) {
        return make_kernel(op, make, node);
      });
    add_host_side_kernels(all, *host_);
    kernels_ = std::move(all);
  }

  Result<Kernel> make_kernel(
      const std::string& op, const KernelCatalog::Make& make, const Node& node) {
    driver_->make_current();
    auto kernel = make(node);
    if (kernel.status().code() == Code::unimplemented)
      if (auto of_host = make_on_host(*host_, node)) return *std::move(of_host);
    if (!kernel) return kernel;
    if (!kernel->cost_ns) kernel->cost_ns = [](const Launch&) { return start_ns; };
    if (kernel->compute)
      kernel->compute = [this, holder = holder_of(op), compute = std::move(kernel->compute)](
                            Launch& launch) { return start_kernel(compute, holder, launch); };
    if (kernel->try_now)
      kernel->try_now =
          [this, try_now = std::move(kernel->try_now)](Launch& launch) -> std::optional<Status> {
        if (auto status = check_works(); !status.ok()) return status;
        driver_->make_current();
        return try_now(launch);
      };
    if (kernel->start)
      kernel->start = [this, start = std::move(kernel->start)](Launch& launch, Kernel::Done done) {
        if (auto status = check_works(); !status.ok()) return done(status);
        driver_->make_current();
        start(launch, std::move(done));
      };
    return kernel;
  }

  Status start_kernel(
      const std::function<Status(Launch&)>& compute, const char* holder, Launch& launch) {
    if (auto status = check_works(); !status.ok()) return status;
    driver_->make_current();
    HolderScope scope(holder);
    auto status = compute(launch);
    auto launch_error = driver_->take_launch_error();
    return with_holders(status.ok() ? launch_error : status);
  }

  const char* holder_of(const std::string& op) {
    std::lock_guard lock(mutex_);
    return holders_.insert(op).first->c_str();
  }

  // -- errors

  Status check_works() const {
    if (!driver_->has_failed()) return {};
    return unavailable(  // AC-1
        attributes_.type + ":" + std::to_string(attributes_.index) + " (" +
        attributes_.description +
        ") has failed, and works again only in a new process: restart "
        "this task. It was: " +
        driver_->error().message());
  }

  Status with_holders(const Status& status) const {
    if (status.code() != Code::resource_exhausted) return status;
    return resource_exhausted(
        status.message() + "; of " + attributes_.type + ":" + std::to_string(attributes_.index) +
        ", " + pool_->describe());
  }

  const std::shared_ptr<Driver> driver_;
  const std::shared_ptr<Device> host_;
  DeviceAttributes attributes_;
  ResourceKindCatalog resource_kinds_;
  std::mutex mutex_;
  std::set<std::string> holders_;  // before pool_, which points into it
  std::shared_ptr<StreamOrderedPool> pool_;
  PinnedPool pinned_;
  StagedCopies staged_;
  const std::shared_ptr<GraphCache> graphs_;
  std::unique_ptr<DeviceMemory, ReleaseMemory> memory_;
  const std::shared_ptr<CopiesOut> copies_out_ = std::make_shared<CopiesOut>();
  DriverStream stream_;
  KernelCatalog kernels_;
};

}  // namespace

Result<std::unique_ptr<AcceleratorDevice>> make_accelerator_device(AcceleratorOptions options) {
  auto reserves = !options.memory.grows;
  auto device = std::make_unique<CardDevice>(std::move(options));
  if (reserves)
    if (auto status = device->reserve(); !status.ok()) return status;
  return std::unique_ptr<AcceleratorDevice>(std::move(device));
}

}  // namespace troupe::accelerator
