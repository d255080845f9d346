#include "troupe/graph/ops/data/dataset_op.hpp"

#include <vector>

namespace troupe {

Op make_dataset_op(std::string name, const char* doc, std::initializer_list<int> scalars) {
  return Op(std::move(name)).doc(doc).infer_shape(
      [scalars = std::vector<int>(scalars)](ShapeInference& s) -> Status {
        for (auto index : scalars)
          if (auto status = s.need_rank(index < 0 ? index + s.input_count() : index, 0);
              !status.ok())
            return status;
        s.set(0, Shape());
        return {};
      });
}

Op with_element_attrs(Op op) {
  return std::move(op)
      .attr("output_types", AttrType::dtypes)
      .attr_at_least("output_types", 1)
      .attr("output_shapes", AttrType::shapes)
      .attr_at_least("output_shapes", 1);
}

Status infer_components(ShapeInference& s) {
  const auto& shapes = s.attr<Shapes>("output_shapes");
  if (shapes.size() != s.outputs().size())
    return invalid_argument(
        "`output_shapes` must be the same length as `output_types` (" +
        std::to_string(shapes.size()) + " vs. " + std::to_string(s.outputs().size()) + ")");
  for (size_t i = 0; i < shapes.size(); ++i) s.set(static_cast<int>(i), shapes[i]);
  return {};
}

}  // namespace troupe
