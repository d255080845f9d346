#include "troupe/devices/resources/data_flow/accumulator.hpp"

#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

GradientSum::Options options_of(const Node& handle) {
  return {
      .dtype = handle.attr<DType>("dtype"),
      .shape = handle.attr<Shape>("shape"),
      .is_mean = handle.attr<std::string>("reduction_type") == "MEAN",
      .is_sparse = handle.op->name() == "SparseConditionalAccumulator"};
}

std::string describe(const GradientSum::Options& options) {
  return std::string(options.is_mean ? "the mean" : "the sum") + " of " +
         (options.is_sparse ? "sparse " : "") + to_string(options.dtype) +
         options.shape.to_string();
}

Result<std::shared_ptr<Resource>> make_accumulator(const Node& handle) {
  auto sum = make_gradient_sum(options_of(handle));
  if (!sum) return sum.status();
  return std::shared_ptr<Resource>(std::make_shared<AccumulatorResource>(*std::move(sum)));
}

Status check_accumulator(const Resource& resource, const Node& handle) {
  const auto& held = static_cast<const AccumulatorResource&>(resource).options();
  auto declared = options_of(handle);
  if (held == declared) return {};
  return invalid_argument(
      "is " + describe(held) + ", but the graph declares it as " + describe(declared));
}

}  // namespace

Resource::Description AccumulatorResource::describe() const {
  std::lock_guard lock(mutex_);
  return {.dtype = options_.dtype, .shape = options_.shape, .bytes = bytes_};
}

void AccumulatorResource::apply(
    int64_t local_step, Tensors gradient, Allocator& allocator, Done done, const Run& run,
    std::shared_ptr<Resource> owner) {
  std::unique_lock lock(mutex_);
  waiting_.push_back({local_step, std::move(gradient), &allocator, std::move(done)});
  if (std::exchange(has_adder_, true)) return;
  lock.unlock();
  run([this, owner = std::move(owner)] { add_waiting(); });
}

/// Adds those that wait, also those that come meanwhile.
void AccumulatorResource::add_waiting() {
  std::unique_lock lock(mutex_);
  while (!waiting_.empty()) {
    auto applied = std::move(waiting_.front());
    waiting_.pop_front();
    auto status = add(applied, lock);
    auto ended = calls_.run();
    lock.unlock();
    applied.done(std::move(status));
    ended.report();
    lock.lock();
  }
  has_adder_ = false;
}

/// Gives the lock up while it adds.
Status AccumulatorResource::add(Applied& applied, std::unique_lock<std::mutex>& lock) {
  if (is_dropped()) return gone();
  if (applied.local_step < step_) return {};
  if (auto status = sum_->check(applied.gradient); !status.ok()) return status;
  is_adding_ = true;
  lock.unlock();
  auto status = sum_->add(std::move(applied.gradient), *applied.allocator);
  lock.lock();
  is_adding_ = false;
  if (is_dropped()) {
    clear();
    return gone();
  }
  count_ = sum_->count();
  bytes_ = sum_->bytes();
  return status;
}

uint64_t AccumulatorResource::take(int32_t required, Taken taken) {
  auto sum = std::make_shared<std::shared_ptr<GradientSum>>();
  auto attempt = [this, required, sum]() -> std::optional<Status> {
    if (is_adding_ || count_ < required) return {};
    *sum = std::move(sum_);
    sum_ = (*sum)->make_empty();
    count_ = 0;
    bytes_ = 0;
    ++step_;
    return Status();
  };
  return call(0, std::move(attempt), [sum, taken = std::move(taken)](const Status& status) {
    if (status.ok()) taken(std::move(*sum));
    else taken(status);
  });
}

Status AccumulatorResource::set_step(int64_t step) {
  return change([&] {
    step_ = step;
    return Status();
  });
}

int32_t AccumulatorResource::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

void AccumulatorResource::clear() {
  count_ = 0;
  bytes_ = 0;
  if (!is_adding_) sum_ = sum_->make_empty();
}

// The accumulators of references and of handles are the same.
void add_accumulator_kind(ResourceKindCatalog& catalog) {
  for (const auto* handle_op :
       {"ConditionalAccumulator", "ResourceConditionalAccumulator", "SparseConditionalAccumulator"})
    catalog.add(
        {.name = AccumulatorResource::kind_name,
         .handle_op = handle_op,
         .make = make_accumulator,
         .check = check_accumulator});
}

}  // namespace troupe
