#pragma once

#include <map>
#include <unordered_map>

#include "troupe/devices/resources/data_flow/awaited_resource.hpp"
#include "troupe/devices/resources/data_flow/staging_limits.hpp"

namespace troupe {

/// Tuples of tensors by key. Parts of a tuple may be put one after the other; a key whose tuple is
/// complete can be taken from, also in parts. Who puts waits for room, who takes waits for the key.
/// Thread-safe.
/// (TensorFlow: the maps of MapStage and OrderedMapStage.)
class StagingMap final : public AwaitedResource {
 public:
  static constexpr const char* kind_name = "staging map";
  /// Tensors of a tuple, and its key.
  struct Staged {
    int64_t key = 0;
    Tensors tensors;
  };
  /// Called with the tensors at the indices that were asked for, of a tuple with that key.
  using Taken = std::function<void(Result<Staged>)>;

  /// Which components of a tuple are meant, in rising order, and, where they are taken, what dtypes
  /// they are taken as.
  struct Selection {
    std::vector<int32_t> indices;
    DTypes dtypes;
  };

  explicit StagingMap(const StagingLimits& limits) : limits_(limits) {}

  const char* kind() const override { return kind_name; }
  Description describe() const override;

  // Each returns what give_up() takes. InvalidArgument: an index is out of range or out of order;
  // there is a tensor already, or not any more; a dtype differs.
  /// The tensors at those indices of the key's tuple, whose components have the selection's dtypes.
  uint64_t put(int64_t key, Selection selection, Tensors tensors, Done done);
  uint64_t take(int64_t key, Selection selection, Taken taken);
  /// From the tuple with the lowest key.
  uint64_t take_any(Selection selection, Taken taken);
  uint64_t peek(int64_t key, Selection selection, Taken taken);

  /// The keys whose tuples are complete.
  int32_t size() const;
  int32_t incomplete_size() const;
  Status remove_all();

 private:
  using Tuple = Tensors;  // an unset tensor was not put yet, or was taken
  using Tuples = std::map<int64_t, Tuple>;

  void clear() override;
  Status check_put(int64_t key, const Selection& selection, const Tensors& tensors) const;
  void insert(int64_t key, const Selection& selection, Tensors tensors);
  void add_complete(int64_t key, Tuple tuple);
  Status select(const Tuples::iterator& at, const Selection& selection, Staged& staged) const;
  Status remove(const Tuples::iterator& at, const Selection& selection, Staged& staged);
  uint64_t call_for(WaitingCalls::Attempt attempt, std::shared_ptr<Staged> staged, Taken taken);

  const StagingLimits limits_;
  DTypes dtypes_;  // of a tuple's components, as the first that put declared them
  Tuples complete_;
  Tuples incomplete_;
  int64_t bytes_ = 0;
};

}  // namespace troupe
