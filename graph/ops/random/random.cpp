#include "troupe/graph/ops/random/random.hpp"

#include "troupe/graph/build/gradients.hpp"
#include "troupe/graph/ops/all_ops.hpp"

namespace troupe {

namespace ops {

Status infer_samples(ShapeInference& s) {
  auto samples = s.input_as_shape(0);
  if (!samples) return samples.status();
  const auto& parameters = s.input(1);
  if (!samples->has_rank() || !parameters.has_rank()) return {};
  std::vector<int64_t> sizes(samples->sizes().begin(), samples->sizes().end());
  sizes.insert(sizes.end(), parameters.sizes().begin(), parameters.sizes().end());
  auto all = Shape::make(sizes);
  if (all) s.set(0, *all);
  return all.status();
}

Status infer_classes(ShapeInference& s) {
  for (auto [input, rank] : {std::pair(0, 2), std::pair(1, 0)})
    if (auto status = s.need_rank(input, rank); !status.ok()) return status;
  auto samples = s.constant_ints(1);
  auto count = samples ? samples->front() : Shape::unknown;
  if (samples && count < 0)
    return invalid_argument("'num_samples' must not be negative: " + std::to_string(count));
  s.set(0, {s.input(0).has_rank() ? s.input(0)[0] : Shape::unknown, count});
  return {};
}

}  // namespace ops

using namespace ops;

namespace {

/// Random tensors depend on nothing but inputs, seeds and the number of the draw; two seeds of 0
/// are drawn afresh by each process.
Op with_seeds(Op op) {
  return std::move(op).attr("seed", 0).attr("seed2", 0).stateful();
}

Op random(const char* name, const char* doc) {
  return with_seeds(Op(name))
      .doc(doc)
      .input("shape", "T")
      .output("output", "dtype")
      .attr("dtype", floating())
      .attr("T", indexing())
      .infer_shape(shapes::from_shape_input(0))
      .gradient(not_differentiable);
}

Status infer_bounded(ShapeInference& s) {
  for (int bound : {1, 2})
    if (auto status = s.need_rank(bound, 0); !status.ok()) return status;
  return shapes::from_shape_input(0)(s);
}

/// Parameters are scalars or vectors.
Status infer_parameterized(ShapeInference& s) {
  for (int i = 1; i <= 4; ++i)
    if (s.input(i).rank() > 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must be a scalar or a vector, but its shape is " +
          s.input(i).to_string());
  return shapes::from_shape_input(0)(s);
}

/// Of samples that stay as probable as they are when alpha changes.
void gamma_gradient(Gradient& g) {
  if (g.wants(1)) g.to_operand(1, g.dy() * g.op("RandomGammaGrad", {g.in(1), g.out(0)}));
}

void add_even_and_normal(OpCatalog& catalog) {
  catalog.add(random("RandomUniform", "Numbers drawn evenly from [0, 1)."));
  catalog.add(random("RandomStandardNormal", "Normal numbers of mean 0 and deviation 1."));
  catalog.add(random(
      "TruncatedNormal", "Normal numbers, drawn again where they are beyond two deviations."));
  catalog.add(with_seeds(Op("RandomUniformInt"))
      .doc("Whole numbers drawn evenly from [minval, maxval), which are scalars.")
      .input("shape", "T")
      .input("minval", "Tout")
      .input("maxval", "Tout")
      .output("output", "Tout")
      .attr("Tout", indexing())
      .attr("T", indexing())
      .infer_shape(infer_bounded));
  catalog.add(with_seeds(Op("ParameterizedTruncatedNormal"))
      .doc("Normal numbers, drawn again where they are not between two bounds, of which one may be "
           "infinite. Means, deviations and bounds are scalars, or vectors of one number for each "
           "of the first dimension of the result.")
      .input("shape", "T")
      .input("means", "dtype")
      .input("stdevs", "dtype")
      .input("minvals", "dtype")
      .input("maxvals", "dtype")
      .output("output", "dtype")
      .attr("dtype", floating())
      .attr("T", indexing())
      .infer_shape(infer_parameterized)
      .gradient(not_differentiable));
}

/// [height, width, channels], with height and width from input 1.
Status infer_random_crop(ShapeInference& s) {
  for (auto [input, rank] : {std::pair(0, 3), std::pair(1, 1)})
    if (auto status = s.need_rank(input, rank); !status.ok()) return status;
  auto size = s.constant_ints(1);
  if (size && size->size() != 2)
    return invalid_argument("'size' must have 2 elements, but has " + std::to_string(size->size()));
  const std::vector<int64_t> sizes = {
      size ? (*size)[0] : Shape::unknown, size ? (*size)[1] : Shape::unknown,
      s.input(0).has_rank() ? s.input(0)[2] : Shape::unknown};
  auto shape = Shape::make(sizes);
  if (shape) s.set(0, *shape);
  return shape.status();
}

void add_choices(OpCatalog& catalog) {
  catalog.add(with_seeds(Op("RandomShuffle"))
      .doc("The slices of a tensor along its first dimension, in random order.")
      .input("value", "T")
      .output("output", "T")
      .attr("T", AttrType::dtype)
      .infer_shape(shapes::same_as_input())
      .gradient(not_differentiable));
  catalog.add(with_seeds(Op("RandomCrop"))
      .doc("A part of that height and width, anywhere in the image.")
      .input("image", "T")
      .input("size", DType::int64)
      .output("output", "T")
      .attr(
          "T", {DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64,
                DType::float32, DType::float64})
      .infer_shape(infer_random_crop));
  catalog.add(with_seeds(Op("Multinomial"))
      .doc("For each row of logits, num_samples classes with probabilities in proportion to "
           "e^logit; classes without a finite logit are never drawn. A row without any draws the "
           "number of classes.")
      .input("logits", "T")
      .input("num_samples", DType::int32)
      .output("output", "output_dtype")
      .attr("T", real())
      .attr("output_dtype", indexing(), DType::int64)
      .infer_shape(infer_classes)
      .gradient(not_differentiable));
}

void add_gamma_and_poisson(OpCatalog& catalog) {
  DTypes gamma = {DType::float16, DType::float32, DType::float64};
  auto poisson = gamma;
  poisson.insert(poisson.end(), {DType::int32, DType::int64});
  catalog.add(with_seeds(Op("RandomGamma"))
      .doc("Gamma numbers of scale 1: `shape` of them for each shape parameter in alpha. The "
           "gradient moves samples as their quantiles move.")
      .input("shape", "S")
      .input("alpha", "T")
      .output("output", "T")
      .attr("S", indexing())
      .attr("T", gamma)
      .infer_shape(infer_samples)
      .gradient(gamma_gradient));
  catalog.add(Op("RandomGammaGrad")
      .doc("The derivative of a gamma number in its shape parameter alpha, at a fixed quantile, "
           "with broadcasting.")
      .input("alpha", "T")
      .input("sample", "T")
      .output("output", "T")
      .attr("T", DTypes{DType::float32, DType::float64})
      .infer_shape(shapes::broadcast()));
  catalog.add(with_seeds(Op("RandomPoisson"))
      .doc("RandomPoissonV2 with samples of the dtype of the rates.")
      .input("shape", "S")
      .input("rate", "dtype")
      .output("output", "dtype")
      .attr("S", indexing())
      .attr("dtype", gamma)
      .infer_shape(infer_samples));
  catalog.add(with_seeds(Op("RandomPoissonV2"))
      .doc("Poisson numbers: `shape` of them for each rate. A rate may be infinite where samples "
           "may; negative rates count as 0.")
      .input("shape", "S")
      .input("rate", "R")
      .output("output", "dtype")
      .attr("S", indexing())
      .attr("R", poisson, DType::float64)
      .attr("dtype", poisson, DType::int64)
      .infer_shape(infer_samples));
}

}  // namespace

void add_random_ops(OpCatalog& catalog) {
  add_even_and_normal(catalog);
  add_choices(catalog);
  add_gamma_and_poisson(catalog);
  add_stateless_ops(catalog);
  add_samplers_ops(catalog);
}

}  // namespace troupe
