#pragma once

#include <memory>
#include <string>

namespace troupe {

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
};

/// The element of a `resource` tensor: which resource, by name, and the resource itself once a plan
/// has bound it.
struct ResourceHandle {
  std::string container;
  std::string name;
  std::shared_ptr<Resource> resource;
};

}  // namespace troupe
