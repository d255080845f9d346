#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "troupe/graph/graph.hpp"
#include "troupe/graph/types/resource.hpp"
#include "troupe/graph/types/status.hpp"

namespace troupe {

/// A kind of resource that containers hold: all that containers, plans and tasks need to know of
/// it. The value itself is a Resource, and what can be done with it are the kernels of its ops.
struct ResourceKind {
  std::string name;       // "variable", as Resource::kind() says it
  std::string handle_op;  // the op whose nodes stand for such a resource: "VarHandleOp"
  /// The ops that bring a resource into being that does not exist: the assignment of a variable.
  /// Empty: the handle op does.
  std::vector<std::string> creating_ops = {};
  /// Makes the resource that the handle node declares; Unimplemented if this kind cannot be so.
  std::function<Result<std::shared_ptr<Resource>>(const Node& handle)> make;
  /// Instead of make(), for a handle whose inputs say what the resource is like.
  std::function<Result<std::shared_ptr<Resource>>(const Graph& graph, const Node& handle)> make_in =
      {};
  /// Fails unless the graph may take that resource, which is of this kind, for what the handle node
  /// declares: "is float32[2], but the graph declares it as int32[2]".
  std::function<Status(const Resource& resource, const Node& handle)> check;
  /// check()'s errors name the resource themselves.
  bool says_what_differs = false;

  /// As check(), for a resource of any kind; the error names it.
  Status check_declared(
      const Resource& resource, const ResourceName& name, const Node& handle) const;
};

/// The kinds of resources that a device can have. Filled once, at start
/// (make_resource_kind_catalog()), then only read.
class ResourceKindCatalog {
 public:
  using Kind = std::shared_ptr<const ResourceKind>;

  /// Adding two kinds with the same handle op is a bug.
  void add(ResourceKind kind);
  /// Unimplemented, naming the op, where there is none.
  Result<Kind> find(std::string_view handle_op) const;
  /// By handle op.
  const std::map<std::string, Kind, std::less<>>& all() const { return kinds_; }

 private:
  std::map<std::string, Kind, std::less<>> kinds_;
};

// One function per kind, in the file of its name.
void add_variable_kind(ResourceKindCatalog& catalog);
void add_hash_table_kind(ResourceKindCatalog& catalog);
void add_dense_hash_table_kind(ResourceKindCatalog& catalog);
void add_queue_kind(ResourceKindCatalog& catalog);
void add_reader_kind(ResourceKindCatalog& catalog);
void add_accumulator_kind(ResourceKindCatalog& catalog);
void add_staging_area_kind(ResourceKindCatalog& catalog);
void add_staging_map_kind(ResourceKindCatalog& catalog);
void add_barrier_kind(ResourceKindCatalog& catalog);
void add_mutex_kind(ResourceKindCatalog& catalog);
void add_iterator_kinds(ResourceKindCatalog& catalog);

/// A catalog of all kinds.
ResourceKindCatalog make_resource_kind_catalog();

}  // namespace troupe
