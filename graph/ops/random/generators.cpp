#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"
#include "troupe/graph/ops/random/random.hpp"

namespace troupe {
namespace {

/// The size of a result is that input; all inputs in `scalars` are scalars.
Op::InferShape infer_drawn(int shape, std::initializer_list<int> scalars) {
  return [shape, scalars = std::vector<int>(scalars)](ShapeInference& s) -> Status {
    for (auto scalar : scalars)
      if (auto status = s.need_rank(scalar, 0); !status.ok()) return status;
    return shapes::from_shape_input(shape)(s);
  };
}

/// An op that draws from a generator: a variable of int64 numbers, which it moves on.
Op drawing(const char* name, const char* doc) {
  return Op(name)
      .doc(doc)
      .input("resource", DType::resource)
      .input("algorithm", DType::int64)
      .input("shape", "shape_dtype")
      .infer_shape(infer_drawn(2, {1}))
      .gradient(not_differentiable)
      .stateful();
}

Op with_drawn(Op op, const DTypes& dtypes, DType fallback) {
  return std::move(op)
      .output("output", "dtype")
      .attr("dtype", dtypes, fallback)
      .attr("shape_dtype", indexing(), DType::int64);
}

void add_float_ops(OpCatalog& catalog) {
  catalog.add(with_drawn(
      drawing(
          "StatefulUniform",
          "Numbers drawn evenly from [0, 1), of a generator's state: of the algorithm 1, Philox, "
          "three numbers, the counter's halves and the key."),
      floating(), DType::float32));
  catalog.add(with_drawn(
      drawing(
          "StatefulStandardNormalV2",
          "Normal numbers of mean 0 and deviation 1, of a generator's state."),
      floating(), DType::float32));
  catalog.add(with_drawn(
      drawing(
          "StatefulTruncatedNormal",
          "Normal numbers of a generator's state, drawn again where they are beyond two "
          "deviations."),
      floating(), DType::float32));
  catalog.add(with_drawn(
      Op("StatefulStandardNormal")
          .doc("As StatefulStandardNormalV2, of a state whose first number is the algorithm.")
          .input("resource", DType::resource)
          .input("shape", "shape_dtype")
          .infer_shape(infer_drawn(1, {}))
          .gradient(not_differentiable)
          .stateful(),
      floating(), DType::float32));
}

void add_integer_ops(OpCatalog& catalog) {
  catalog.add(with_drawn(
      drawing(
          "StatefulUniformInt",
          "Whole numbers drawn evenly from [minval, maxval), of a generator's state.")
          .input("minval", "dtype")
          .input("maxval", "dtype")
          .infer_shape(infer_drawn(2, {1, 3, 4})),
      indexing(), DType::int64));
  catalog.add(with_drawn(
      drawing(
          "StatefulUniformFullInt",
          "Whole numbers drawn evenly from all of their dtype, of a generator's state."),
      {DType::int32, DType::int64, DType::uint32, DType::uint64}, DType::uint64));
  catalog.add(with_drawn(
      Op("NonDeterministicInts")
          .doc("Whole numbers that nobody can tell beforehand, of all of their dtype.")
          .input("shape", "shape_dtype")
          .infer_shape(infer_drawn(0, {}))
          .gradient(not_differentiable)
          .stateful(),
      {DType::int32, DType::int64, DType::uint32, DType::uint64}, DType::int64));
}

/// Counts and probabilities are scalars or vectors.
Status infer_binomial(ShapeInference& s) {
  for (int i : {3, 4})
    if (s.input(i).rank() > 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar or a vector, but its shape is " +
          s.input(i).to_string());
  return shapes::from_shape_input(2)(s);
}

}  // namespace

// Random numbers whose state is not that of the op, but the value of a variable.
void add_generators_ops(OpCatalog& catalog) {
  add_float_ops(catalog);
  add_integer_ops(catalog);
  catalog.add(Op("RngSkip")
      .doc("Moves a generator's state on as if so many numbers had been drawn, each of which may "
           "use 256 blocks of bits.")
      .input("resource", DType::resource)
      .input("algorithm", DType::int64)
      .input("delta", DType::int64)
      .infer_shape([](ShapeInference& s) -> Status {
        for (int scalar : {1, 2})
          if (auto status = s.need_rank(scalar, 0); !status.ok()) return status;
        return {};
      })
      .stateful());
  DTypes numbers = {DType::float16, DType::float32, DType::float64, DType::int32, DType::int64};
  catalog.add(Op("StatefulRandomBinomial")
      .doc("How many of `counts` trials succeed, each with a probability of `probs`, by a "
           "generator's state. Counts and probabilities are scalars, or vectors of one number for "
           "each of the first dimension of the result.")
      .input("resource", DType::resource)
      .input("algorithm", DType::int64)
      .input("shape", "S")
      .input("counts", "T")
      .input("probs", "T")
      .output("output", "dtype")
      .attr("S", indexing())
      .attr("T", numbers, DType::float64)
      .attr("dtype", numbers, DType::int64)
      .infer_shape(infer_binomial)
      .gradient(not_differentiable)
      .stateful());
}

}  // namespace troupe
