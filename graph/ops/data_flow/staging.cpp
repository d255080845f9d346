#include "troupe/graph/ops/data_flow/staging.hpp"

#include <string>

#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/handle.hpp"

namespace troupe {

Op staging_op(Op op, Op::InferShape infer) {
  auto in_container = [infer = std::move(infer)](ShapeInference& s) {
    if (auto status = check_container(s.attr<std::string>("container")); !status.ok())
      return status;
    return infer(s);
  };
  return std::move(op)
      .attr("capacity", 0)
      .attr_at_least("capacity", 0)
      .attr("memory_limit", 0)
      .attr_at_least("memory_limit", 0)
      .attr("dtypes", AttrType::dtypes)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape(std::move(in_container))
      .named_resource();
}

// A staging area is `shared_name` in `container`, or has the name of the node; all ops name it so,
// and the first that runs makes it.
void add_staging_ops(OpCatalog& catalog) {
  catalog.add(staging_op(Op("Stage").inputs("values", "dtypes"), shapes::none())
      .doc("Puts a tuple into the staging area, as soon as it has less than `capacity` and room "
           "within `memory_limit` bytes; 0 stands for no limit."));
  catalog.add(staging_op(Op("Unstage").outputs("values", "dtypes"), shapes::none())
      .doc("Takes the tuple that was put first, as soon as there is one."));
  catalog.add(
      staging_op(
          Op("StagePeek").input("index", DType::int32).outputs("values", "dtypes"),
          shapes::none())
      .doc("The tuple at that position, as soon as there is one. It stays."));
  catalog.add(staging_op(Op("StageSize").output("size", DType::int32), shapes::scalar())
      .doc("The number of tuples in the staging area."));
  catalog.add(staging_op(Op("StageClear"), shapes::none()).doc("Removes all tuples."));
}

}  // namespace troupe
