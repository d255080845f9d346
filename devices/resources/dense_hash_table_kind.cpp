#include "troupe/devices/resources/dense_hash_table.hpp"
#include "troupe/devices/resources/resource_kind.hpp"

namespace troupe {
namespace {

/// The value of an input of the node that makes the handle.
Result<Tensor> constant_input(const Graph& graph, const Node& handle, size_t index) {
  const auto& node = graph.node(handle.inputs[index].node);
  if (node.op->name() == "Const") return node.attr<Tensor>("value");
  return invalid_argument(
      "the empty and deleted keys of a table must be constants, but '" + node.name + "' is a " +
      node.op->name());
}

Result<std::shared_ptr<Resource>> make_declared_dense(const Graph& graph, const Node& handle) {
  auto empty = constant_input(graph, handle, 0), deleted = constant_input(graph, handle, 1);
  if (!empty) return empty.status();
  if (!deleted) return deleted.status();
  return make_dense_hash_table(
      {.empty_key = *std::move(empty),
       .deleted_key = *std::move(deleted),
       .value_dtype = handle.attr<DType>("value_dtype"),
       .value_shape = handle.attr<Shape>("value_shape"),
       .initial_num_buckets = handle.attr<int64_t>("initial_num_buckets"),
       .max_load_factor = handle.attr<float>("max_load_factor")});
}

Status check_dense(const Resource& resource, const Node& handle) {
  const auto& table = static_cast<const HashTableResource&>(resource);
  auto keys = handle.attr<DType>("key_dtype"), values = handle.attr<DType>("value_dtype");
  if (table.key_dtype() == keys && table.value_dtype() == values &&
      table.value_shape() == handle.attr<Shape>("value_shape") && table.has_buckets())
    return {};
  return invalid_argument("is another table than the dense one that the graph declares");
}

}  // namespace

void add_dense_hash_table_kind(ResourceKindCatalog& catalog) {
  catalog.add(
      {.name = HashTableResource::kind_name,
       .handle_op = "MutableDenseHashTableV2",
       .make = {},
       .make_in = make_declared_dense,
       .check = check_dense});
}

}  // namespace troupe
