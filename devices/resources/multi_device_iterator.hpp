#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "troupe/devices/data/dealt_source.hpp"
#include "troupe/devices/resources/iterator.hpp"

namespace troupe {

/// Iterators over the elements of one dataset, of which each has every n-th: element i is of
/// iterator i modulo n. Thread-safe. (TensorFlow: MultiDeviceIterator.)
class MultiDeviceIterator final : public Resource {
 public:
  static constexpr const char* kind_name = "multi-device iterator";

  MultiDeviceIterator(const DTypes& dtypes, const Shapes& shapes, size_t count);
  ~MultiDeviceIterator() override;

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override { return iterators_[0]->is_dropped(); }
  Description describe() const override { return iterators_[0]->describe(); }

  const DTypes& dtypes() const { return iterators_[0]->dtypes(); }
  const Shapes& shapes() const { return iterators_[0]->shapes(); }
  size_t count() const { return iterators_.size(); }

  /// Lets all of them begin with the elements of that dataset, of which at most that many are
  /// computed for each before they are asked for. Returns the number of this beginning.
  /// InvalidArgument: its elements are others than those of the iterators.
  Result<int64_t> begin(const data::SharedDataset& dataset, Device& device, size_t buffer_size);
  /// The iterator `index` of that beginning. InvalidArgument: there is none, or they have begun
  /// anew.
  Result<std::shared_ptr<IteratorResource>> iterator(int64_t index, int64_t beginning) const;

 private:
  std::vector<std::shared_ptr<IteratorResource>> iterators_;  // one, at least
  mutable std::mutex mutex_;
  std::shared_ptr<data::Dealer> dealer_;  // of the elements; null before begin()
  int64_t beginning_ = 0;
};

class ResourceKindCatalog;

/// A part of add_iterator_kinds().
void add_multi_device_iterator_kind(ResourceKindCatalog& catalog);

}  // namespace troupe
