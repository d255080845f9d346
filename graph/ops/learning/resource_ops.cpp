#include "troupe/graph/ops/learning/resource_ops.hpp"

#include "troupe/graph/ops/handle.hpp"

namespace troupe {

Op learning_handle_op(std::string name) {
  return Op(std::move(name))
      .output("resource", DType::resource)
      .attr("container", "")
      .attr("shared_name", "")
      .infer_shape([](ShapeInference& s) {
        s.set(0, {});
        return check_container(s.attr<std::string>("container"));
      })
      .resource_handle();
}

Status infer_scalars(ShapeInference& s) {
  for (int i = 0; i < s.input_count(); ++i)
    if (auto status = s.need_rank(i, 0); !status.ok()) return status;
  for (int i = 0; i < static_cast<int>(s.outputs().size()); ++i) s.set(i, {});
  return {};
}

}  // namespace troupe
