#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/random/random.hpp"

namespace troupe {

using namespace ops;

namespace {

Status check_seed(const ShapeInference& s, int input) {
  if (s.input(input).is_compatible_with({2})) return {};
  return invalid_argument(
      "'seed' must have the shape [2], but its shape is " + s.input(input).to_string());
}

Status infer_stateless(ShapeInference& s) {
  if (auto status = check_seed(s, 1); !status.ok()) return status;
  for (int bound = 2; bound < s.input_count(); ++bound)
    if (auto status = s.need_rank(bound, 0); !status.ok()) return status;
  return shapes::from_shape_input(0)(s);
}

Op stateless(const char* name, const char* doc) {
  return Op(name)
      .doc(std::string(doc) + " They depend on the two numbers of `seed` alone.")
      .input("shape", "T")
      .input("seed", "Tseed")
      .output("output", "dtype")
      .attr("T", indexing(), DType::int32)
      .attr("Tseed", indexing(), DType::int64)
      .infer_shape(infer_stateless)
      .gradient(not_differentiable);
}

Op stateless_floats(const char* name, const char* doc) {
  return stateless(name, doc).attr("dtype", floating(), DType::float32);
}

}  // namespace

void add_stateless_ops(OpCatalog& catalog) {
  catalog.add(stateless_floats("StatelessRandomUniform", "Numbers drawn evenly from [0, 1)."));
  catalog.add(
      stateless_floats("StatelessRandomNormal", "Normal numbers of mean 0 and deviation 1."));
  catalog.add(stateless_floats(
      "StatelessTruncatedNormal",
      "Normal numbers, drawn again where they are beyond two deviations."));
  catalog.add(
      stateless(
          "StatelessRandomUniformInt",
          "Whole numbers drawn evenly from [minval, maxval), which are scalars.")
          .input("minval", "dtype")
          .input("maxval", "dtype")
          .attr("dtype", indexing()));
  catalog.add(Op("StatelessMultinomial")
      .doc("As Multinomial, but drawn with the two numbers of `seed` alone.")
      .input("logits", "T")
      .input("num_samples", DType::int32)
      .input("seed", "Tseed")
      .output("output", "output_dtype")
      .attr("T", real())
      .attr("Tseed", indexing(), DType::int64)
      .attr("output_dtype", indexing(), DType::int64)
      .infer_shape([](ShapeInference& s) {
        auto status = check_seed(s, 2);
        return status.ok() ? infer_classes(s) : status;
      })
      .gradient(not_differentiable));
}

}  // namespace troupe
