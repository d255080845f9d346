#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>

#include "troupe/devices/resources/tensor_forest/fertile_slots.hpp"
#include "troupe/devices/resources/tensor_forest/tree.hpp"
#include "troupe/graph/types/resource.hpp"

namespace troupe {

/// A value in a container that there is none of until it is created. Thread-safe.
template <class T>
class CreatedResource : public Resource {
 public:
  void drop() override {
    std::unique_lock lock(mutex_);
    state_.reset();
    is_dropped_ = true;
  }
  bool is_dropped() const override {
    std::shared_lock lock(mutex_);
    return is_dropped_;
  }

  bool is_created() const {
    std::shared_lock lock(mutex_);
    return state_.has_value();
  }
  /// Without effect where there is one.
  void create(T state) {
    std::unique_lock lock(mutex_);
    if (!state_ && !is_dropped_) state_ = std::move(state);
  }

  /// What f(const T&), a Status, says; no change happens meanwhile. NotFound: there is no value.
  template <class F>
  Status read(const F& f) const {
    std::shared_lock lock(mutex_);
    return state_ ? f(*state_) : none();
  }
  /// As read(), but f(T&) may change it, alone.
  template <class F>
  Status change(const F& f) {
    std::unique_lock lock(mutex_);
    return state_ ? f(*state_) : none();
  }

 private:
  Status none() const {
    return not_found(std::string(kind()) + " was not created yet, or its container was reset");
  }

  mutable std::shared_mutex mutex_;
  std::optional<T> state_;
  bool is_dropped_ = false;
};

/// A tree of a forest. (TensorFlow: DecisionTreeResource.)
class DecisionTreeResource final : public CreatedResource<forest::Tree> {
 public:
  static constexpr const char* kind_name = "decision tree";
  const char* kind() const override { return kind_name; }
  Description describe() const override;
};

/// What such a tree learns from to grow. (TensorFlow: FertileStatsResource.)
class FertileStatsResource final : public CreatedResource<forest::FertileSlots> {
 public:
  static constexpr const char* kind_name = "fertile stats";
  const char* kind() const override { return kind_name; }
  Description describe() const override;
};

class ResourceKindCatalog;

/// Called by make_resource_kind_catalog().
void add_tensor_forest_kinds(ResourceKindCatalog& catalog);

}  // namespace troupe
