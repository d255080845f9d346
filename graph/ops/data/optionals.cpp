#include "troupe/graph/ops/data/optionals.hpp"

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/data/dataset_op.hpp"

namespace troupe {
namespace {

/// That of an optional is an optional: it has the gradients of the components.
void gradient_of_from_value(Gradient& g) {
  DTypes dtypes;
  Shapes shapes;
  for (int i = 0; i < g.input_count(); ++i) {
    dtypes.push_back(g.in(i).dtype());
    shapes.push_back(g.in(i).shape());
  }
  auto gradients = g.op(
      "OptionalGetValue", {g.dy()}, {{"output_types", dtypes}, {"output_shapes", shapes}});
  for (int i = 0; i < g.input_count(); ++i)
    if (g.wants(i)) g.to_input(i, gradients.output(i));
}

void gradient_of_get_value(Gradient& g) {
  Values gradients;
  for (int i = 0; i < static_cast<int>(g.node().output_dtypes.size()); ++i)
    gradients.push_back(g.dy(i));
  g.to_input(
      0, g.op("OptionalFromValue", gradients, {{"Toutput_types", g.node().output_dtypes}}));
}

}  // namespace

// An optional is a variant: what holds the components of an element, or nothing.
void add_optionals_ops(OpCatalog& catalog) {
  catalog.add(Op("OptionalFromValue")
      .doc("An optional that holds the components.")
      .inputs("components", "Toutput_types")
      .output("optional", DType::variant)
      .attr("Toutput_types", AttrType::dtypes)
      .attr_at_least("Toutput_types", 1)
      .infer_shape(shapes::scalar())
      .gradient(gradient_of_from_value));
  catalog.add(Op("OptionalNone")
      .doc("An optional that holds nothing.")
      .output("optional", DType::variant)
      .infer_shape(shapes::scalar()));
  catalog.add(Op("OptionalHasValue")
      .doc("Whether the optional holds something.")
      .input("optional", DType::variant)
      .output("has_value", DType::boolean)
      .infer_shape(shapes::scalar()));
  catalog.add(with_element_attrs(
      Op("OptionalGetValue")
          .doc("What the optional holds. InvalidArgument where that is nothing.")
          .input("optional", DType::variant)
          .outputs("components", "output_types")
          .infer_shape(infer_components)
          .gradient(gradient_of_get_value)));
  catalog.add(with_element_attrs(
      Op("IteratorGetNextAsOptional")
          .doc("The next element, or none at the end of the dataset.")
          .input("iterator", DType::resource)
          .output("optional", DType::variant)
          .infer_shape(shapes::scalar())
          .stateful()));
}

}  // namespace troupe
