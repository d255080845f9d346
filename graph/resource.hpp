#pragma once

#include <atomic>
#include <chrono>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>

#include "troupe/graph/dtype.hpp"
#include "troupe/graph/shape.hpp"

namespace troupe {

/// What a thing in a container is called, in the whole cluster.
struct ResourceName {
  std::string container;  // "" is the default one
  std::string name;

  auto operator<=>(const ResourceName&) const = default;
};

/// Something that outlives a step and lives in a container: a variable, later a queue or a reader.
/// What it holds and how it is locked is up to the kind (`devices/variable_resource.hpp`).
class Resource {
 public:
  virtual ~Resource() = default;

  /// "variable": what an error says and what a look-up of another kind is refused with.
  virtual const char* kind() const = 0;

  /// Its container was reset: it lets go of what it holds, and who still has it must fail with
  /// Aborted instead of using it.
  virtual void drop() = 0;
  virtual bool is_dropped() const = 0;

  /// Of what it holds now: 0 bytes before the first assignment.
  struct Facts {
    DType dtype = DType::float32;
    Shape shape;
    uint64_t bytes = 0;
  };
  virtual Facts facts() const = 0;

  /// A step uses it at that time; the clock is its node's.
  void touch(std::chrono::nanoseconds now) { used_at_.store(now.count(), relaxed); }
  std::chrono::nanoseconds used_at() const {
    return std::chrono::nanoseconds(used_at_.load(relaxed));
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;
  std::atomic<int64_t> used_at_{0};
};

/// The element of a `resource` tensor: which resource, by name, and the resource itself once a plan
/// has bound it.
struct ResourceHandle {
  std::string container;
  std::string name;
  std::shared_ptr<Resource> resource;
};

}  // namespace troupe
