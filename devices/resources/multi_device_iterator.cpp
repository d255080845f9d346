#include "troupe/devices/resources/multi_device_iterator.hpp"

#include <string>

#include "troupe/devices/resources/declared_components.hpp"
#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

/// The elements of one of those among whom they are dealt out, for one iteration.
class DealtDataset final : public data::Dataset {
 public:
  DealtDataset(const data::Dataset& all, data::SharedSource source)
      : Dataset(all.dtypes(), all.shapes()), source_(std::move(source)) {}

  Result<data::SharedSource> iterate(const std::shared_ptr<data::Iteration>&) const override {
    return source_;
  }

 private:
  data::SharedSource source_;
};

Result<std::shared_ptr<Resource>> make_multi_device_iterator(const Node& handle) {
  DeclaredComponents declared(handle);
  if (auto status = declared.check(); !status.ok()) return status;
  auto count = handle.attr<std::vector<std::string>>("devices").size();
  return std::shared_ptr<Resource>(
      std::make_shared<MultiDeviceIterator>(declared.dtypes, declared.shapes, count));
}

Status check_multi_device_iterator(const Resource& resource, const Node& handle) {
  const auto& iterator = static_cast<const MultiDeviceIterator&>(resource);
  auto count = handle.attr<std::vector<std::string>>("devices").size();
  if (count != iterator.count())
    return invalid_argument(
        "is for " + std::to_string(iterator.count()) + " devices, but the graph declares " +
        std::to_string(count));
  return DeclaredComponents(handle).check_against(iterator.dtypes(), iterator.shapes());
}

}  // namespace

MultiDeviceIterator::MultiDeviceIterator(const DTypes& dtypes, const Shapes& shapes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    iterators_.push_back(std::make_shared<IteratorResource>(dtypes, shapes));
}

MultiDeviceIterator::~MultiDeviceIterator() {
  if (dealer_) dealer_->stop();
}

void MultiDeviceIterator::drop() {
  std::shared_ptr<data::Dealer> ended;
  {
    std::lock_guard lock(mutex_);
    ended = std::exchange(dealer_, nullptr);
  }
  for (const auto& iterator : iterators_) iterator->drop();
  if (ended) ended->stop();
}

Result<int64_t> MultiDeviceIterator::begin(
    const data::SharedDataset& dataset, Device& device, size_t buffer_size) {
  auto iteration = std::make_shared<data::Iteration>(device);
  auto source = dataset->iterate(iteration);
  if (!source) return source.status();
  auto dealer =
      std::make_shared<data::Dealer>(iteration, *std::move(source), iterators_.size(), buffer_size);
  std::unique_lock lock(mutex_);
  for (size_t i = 0; i < iterators_.size(); ++i) {
    auto dealt = std::make_shared<const DealtDataset>(*dataset, data::dealt_source(dealer, i));
    if (auto status = iterators_[i]->begin(dealt, device); !status.ok()) return status;
  }
  dealer_.swap(dealer);
  auto beginning = ++beginning_;
  lock.unlock();
  if (dealer) dealer->stop();
  return beginning;
}

Result<std::shared_ptr<IteratorResource>> MultiDeviceIterator::iterator(
    int64_t index, int64_t beginning) const {
  std::lock_guard lock(mutex_);
  if (beginning != beginning_)
    return invalid_argument(
        "Invalid incarnation id. Provided: " + std::to_string(beginning) +
        "; Expected: " + std::to_string(beginning_));
  if (index < 0 || index >= std::ssize(iterators_))
    return invalid_argument(
        "shard_num is " + std::to_string(index) + ", but the iterator is for " +
        std::to_string(iterators_.size()) + " devices");
  return iterators_[static_cast<size_t>(index)];
}

void add_multi_device_iterator_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = MultiDeviceIterator::kind_name,
       .handle_op = "MultiDeviceIterator",
       .make = make_multi_device_iterator,
       .check = check_multi_device_iterator});
}

}  // namespace troupe
