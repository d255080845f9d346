#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {
namespace {

Op make_script_op(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .inputs("input", "Tin")
      .outputs("output", "Tout")
      .attr("token", AttrType::string)
      .attr("Tin", AttrType::dtypes)
      .attr("Tout", AttrType::dtypes)
      .infer_shape(shapes::none())
      .gradient(not_differentiable);
}

}  // namespace

// The kernels are in the Python package, as functions of Python are values of one process only.
void add_script_ops(OpCatalog& catalog) {
  catalog.add(make_script_op(
                  "PyFunc",
                  "Calls the Python function with that token on the inputs, in the program that\n"
                  "made the token: on a device of a session or of a server there.")
                  .stateful());
  catalog.add(make_script_op(
      "PyFuncStateless",
      "As PyFunc, of a function that has no effects, and equal results for equal inputs."));
}

}  // namespace troupe
