// How long does a step of training take, with gradients as the graph has them?
#include "troupe/graph/build/layers/core.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

constexpr int64_t batch = 128, pixels = 784, hidden = 512, classes = 10;

Result<Figure> measure_training(double seconds) {
  GpuProgram program;
  const auto& b = program.b();
  auto images = program.random("images", {batch, pixels}).value();
  auto drawn = b.random_uniform({batch}, DType::float32, /*seed=*/3) * double{classes};
  auto labels = b.variable("labels", b.cast(drawn, DType::int64)).value();
  Value x = images;
  for (int i = 0; i < 2; ++i) x = layers::dense(b, x, hidden, {.activation = nn::relu});
  Value logits = layers::dense(b, x, classes);
  auto loss = b.reduce_mean(b.sparse_softmax_cross_entropy(labels, logits));
  auto step = minimize(b, loss, GradientDescent{.learning_rate = 0.01});
  if (auto status = program.initialize(); !status.ok()) return status;
  auto before = program.session().run({}, {loss});
  if (!before) return before.status();
  auto time = program.seconds_of(step, seconds);
  if (!time) return time.status();
  auto after = program.session().run({}, {loss});
  if (!after) return after.status();
  return Figure{
      *time * 1e6, "the loss fell from " + to_text((*before)[0].value<float>()) + " to " +
                       to_text((*after)[0].value<float>())};
}

}  // namespace

void add_training(GpuRows& rows) {
  rows.push_back(
      {.name = "mlp_training",
       .what = "a step of 784-512-512-10, 128 samples on the card, cross entropy, SGD",
       .unit = "us",
       .measure = measure_training});
}

}  // namespace troupe::bench
