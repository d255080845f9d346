#pragma once

#include <limits>
#include <map>
#include <span>
#include <unordered_map>

#include "troupe/devices/resources/data_flow/awaited_resource.hpp"
#include "troupe/graph/types/tensor.hpp"

namespace troupe {

/// Elements of several components by key. The components of an element come one after the other;
/// once all are there, the element is ready and can be taken. Who takes waits for enough of them,
/// and is served in turn. Thread-safe.
/// (TensorFlow: Barrier.)
class BarrierResource final : public AwaitedResource {
 public:
  static constexpr const char* kind_name = "barrier";

  struct Options {
    std::string name;  // for errors
    DTypes dtypes;     // of the components
    Shapes shapes;
  };
  struct Element {
    /// The same for all elements whose first component came in one insertion, and rising.
    int64_t index = 0;
    std::string key;
    Tensors values;  // of each component; unset: missing
  };
  /// Called with the elements that were taken, those with the lowest indices. The values of a
  /// component have one shape.
  using Taken = std::function<void(Result<std::vector<Element>>)>;

  explicit BarrierResource(Options options) : options_(std::move(options)) {}

  const char* kind() const override { return kind_name; }
  const Options& options() const { return options_; }
  Description describe() const override;

  /// Sets one component of the elements with those keys, or nothing if it fails. InvalidArgument:
  /// one of them has it already, or it does not fit. Cancelled: the barrier is closed.
  Status insert(int64_t component, const Tensor& keys, const Tensor& values, Allocator& allocator);

  /// OutOfRange: the barrier is closed, and so many are not there. With `allow_small_batch`, a
  /// barrier that is closed gives what is left. InvalidArgument: their shapes differ; they stay.
  /// Returns what give_up() takes.
  uint64_t take(int32_t count, bool allow_small_batch, Taken taken);

  /// Refuses new keys from now on, and with `cancels`, also the components that are missing.
  /// Cancelled if it is closed already.
  Status close(bool cancels);
  int32_t ready_size() const;
  int32_t incomplete_size() const;

 private:
  void clear() override;
  Status check_insert(int64_t component, const Tensor& keys, const Tensor& values) const;
  Status check_keys(int64_t component, std::span<const std::string> keys) const;
  Status closed_to_key(const std::string& key, size_t at) const;
  std::optional<Status> try_take(
      int32_t count, bool allow_small_batch, std::vector<Element>& taken);
  Status check_shapes(int32_t count) const;

  const Options options_;
  std::unordered_map<std::string, Element> incomplete_;
  std::multimap<int64_t, Element> ready_;  // by index
  int64_t next_index_ = std::numeric_limits<int64_t>::min();
  bool is_closed_ = false;
  bool is_cancelled_ = false;  // closed, and the missing components are refused
};

}  // namespace troupe
