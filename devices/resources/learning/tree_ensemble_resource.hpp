#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "troupe/devices/resources/learning/tree_ensemble.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// An ensemble of decision trees in a container, which has a stamp that counts its changes. There
/// is none until it is created. Thread-safe. (TensorFlow: BoostedTreesEnsembleResource.)
class TreeEnsembleResource final : public Resource {
 public:
  static constexpr const char* kind_name = "tree ensemble";

  /// An ensemble and its stamp.
  struct Stamped {
    TreeEnsemble ensemble;
    int64_t stamp = -1;
  };

  const char* kind() const override { return kind_name; }
  void drop() override;
  bool is_dropped() const override;
  Description describe() const override;

  bool is_created() const;
  /// Without effect where there is one.
  void create(Stamped state);

  /// What f(const Stamped&), a Status, says; no change happens meanwhile. NotFound: there is no
  /// ensemble.
  template <class F>
  Status read(const F& f) const {
    std::shared_lock lock(mutex_);
    return state_ ? f(*state_) : none();
  }
  /// As read(), but f(Stamped&) may change it, alone.
  template <class F>
  Status change(const F& f) {
    std::unique_lock lock(mutex_);
    return state_ ? f(*state_) : none();
  }

 private:
  static Status none();

  mutable std::shared_mutex mutex_;
  std::optional<Stamped> state_;
  bool is_dropped_ = false;
};

class ResourceKindCatalog;

/// Called by make_resource_kind_catalog().
void add_tree_ensemble_kind(ResourceKindCatalog& catalog);

}  // namespace troupe
