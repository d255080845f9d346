#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {
namespace {

Op with_barrier(const char* name) { return Op(name).ref_input("handle", DType::string); }

Status infer_insert(ShapeInference& s) {
  if (auto status = s.need_rank(1, 1); !status.ok()) return status;
  const auto& values = s.input(2);
  if (!values.has_rank()) return {};
  if (values.is_scalar()) return invalid_argument("values must have a row for each key");
  auto rows = s.input(1).merge(Shape{values[0]});
  return rows.status();
}

void add_barrier_uses(OpCatalog& catalog) {
  catalog.add(with_barrier("BarrierInsertMany")
      .doc("Sets one component of the elements with those keys: the rows of `values`. An element "
           "whose components are all set is ready.")
      .input("keys", DType::string)
      .input("values", "T")
      .attr("T", AttrType::dtype)
      .attr("component_index", AttrType::integer)
      .infer_shape(infer_insert)
      .stateful());
  catalog.add(with_barrier("BarrierTakeMany")
      .doc("Takes `num_elements` ready elements, as soon as there are so many. A barrier that is "
           "closed gives fewer, if `allow_small_batch`.")
      .input("num_elements", DType::int32)
      .output("indices", DType::int64)
      .output("keys", DType::string)
      .outputs("values", "component_types")
      .attr("component_types", AttrType::dtypes)
      .attr_at_least("component_types", 1)
      .attr("allow_small_batch", false)
      .attr("wait_for_incomplete", false)
      .attr("timeout_ms", -1)
      .infer_shape(shapes::none())
      .stateful());
  catalog.add(with_barrier("BarrierClose")
      .doc("Lets no new keys in. Components that are missing still come, unless "
           "`cancel_pending_enqueues`.")
      .attr("cancel_pending_enqueues", false)
      .infer_shape(shapes::none())
      .stateful());
}

}  // namespace

// Barriers: elements come in parts, by key, and are taken whole.
void add_barrier_ops(OpCatalog& catalog) {
  catalog.add(Op("Barrier")
      .doc("The barrier `shared_name` in `container`. Without a name only the session can use it.")
      .ref_output("handle", DType::string)
      .attr("component_types", AttrType::dtypes)
      .attr_at_least("component_types", 1)
      .attr("shapes", Shapes())
      .attr("capacity", -1)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape([](ShapeInference& s) {
        s.set(0, {2});
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle());
  add_barrier_uses(catalog);
  catalog.add(with_barrier("BarrierReadySize")
      .doc("The number of elements that are ready.")
      .output("size", DType::int32)
      .infer_shape(shapes::scalar())
      .stateful());
  catalog.add(with_barrier("BarrierIncompleteSize")
      .doc("The number of elements that lack components.")
      .output("size", DType::int32)
      .infer_shape(shapes::scalar())
      .stateful());
}

}  // namespace troupe
