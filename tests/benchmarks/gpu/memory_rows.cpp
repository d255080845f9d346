// How near to the speed of the card's memory are kernels that only wait for it?
#include <array>
#include <future>

#include "troupe/devices/accelerator/card_library.hpp"
#include "troupe/graph/build/nn/normalization.hpp"
#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

using accelerator::Lane;

constexpr int64_t rows_of_matrix = 65536, columns = 1024;
constexpr double bytes_of_matrix = 4.0 * rows_of_matrix * columns;
constexpr int nodes_of_step = 50;  // so that the end of a step counts little

std::string spent(double of_one) { return to_text(of_one * 1e6, 1) + " us"; }

/// Two blocks of a card's memory, and copies of one to the other.
class CardCopy {
 public:
  explicit CardCopy(std::shared_ptr<accelerator::Driver> driver) : driver_(std::move(driver)) {
    for (auto& memory : memory_) memory = driver_->allocate(bytes);
  }
  CardCopy(const CardCopy&) = delete;
  ~CardCopy() {
    for (auto* memory : memory_)
      if (memory) driver_->deallocate(memory, bytes);
  }

  Status run(int count) {
    if (!memory_[0] || !memory_[1]) return resource_exhausted("the card has no memory left");
    for (int i = 0; i < count; ++i)
      driver_->copy_peer(Lane::compute, memory_[1], *driver_, memory_[0], bytes);
    auto reached = std::make_shared<std::promise<Status>>();
    auto status = reached->get_future();
    driver_->when_reached(Lane::compute, [reached](const Status& end) { reached->set_value(end); });
    return status.get();
  }

 private:
  static constexpr auto bytes = static_cast<size_t>(bytes_of_matrix);
  std::shared_ptr<accelerator::Driver> driver_;
  std::array<void*, 2> memory_;
};

Result<Figure> measure_copy(double seconds) {
  auto library = accelerator::load_cuda();
  if (!library) return library.status();
  auto driver = (*library)->open(0);
  if (!driver) return driver.status();
  CardCopy copy(*std::move(driver));
  auto time = median_seconds([&] { return copy.run(nodes_of_step); }, seconds);
  if (!time) return time.status();
  return Figure{2 * bytes_of_matrix * nodes_of_step / *time / 1e9, spent(*time / nodes_of_step)};
}

/// Makes one result of matrices.
using Compute = std::function<Value(const Builder& b, const Values& matrices)>;

struct Case {
  std::string name;
  std::string what;
  int inputs;
  int passes;  // over a matrix: those that are read, and the result if it is one
  Compute compute;
};

Result<Figure> measure_case(const Case& c, double seconds) {
  GpuProgram program;
  Values inputs, results;
  for (int i = 0; i < c.inputs; ++i)
    inputs.push_back(program.random("x" + std::to_string(i), {rows_of_matrix, columns}).value());
  for (int i = 0; i < nodes_of_step; ++i) results.push_back(c.compute(program.b(), inputs));
  auto step = program.b().group(results);
  if (auto status = program.initialize(); !status.ok()) return status;
  auto time = program.seconds_of(step, seconds);
  if (!time) return time.status();
  auto of_one = *time / nodes_of_step;
  return Figure{c.passes * bytes_of_matrix / of_one / 1e9, spent(of_one)};
}

Value gelu(const Builder& b, const Value& x) {
  return 0.5 * x * (1.0 + b.tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

Value layer_norm(const Builder& b, const Value& x) {
  return nn::batch_normalization(
      b, x, nn::moments(b, x, {1}, /*keep_dims=*/true), {.variance_epsilon = 1e-5});
}

std::vector<Case> cases() {
  return {
      {"chain_relu", "relu(2 x + 3)", 1, 2,
       [](const Builder& b, const Values& in) { return b.relu(in[0] * 2.0 + 3.0); }},
      {"chain_gate", "tanh(x) sigmoid(y) + z", 3, 4,
       [](const Builder& b, const Values& in) { return b.tanh(in[0]) * b.sigmoid(in[1]) + in[2]; }},
      {"chain_gelu", "GELU by tanh", 1, 2,
       [](const Builder& b, const Values& in) { return gelu(b, in[0]); }},
      {"softmax", "softmax of rows", 1, 2,
       [](const Builder& b, const Values& in) { return b.softmax(in[0]); }},
      {"layer_norm", "rows with mean 0 and variance 1", 1, 2,
       [](const Builder& b, const Values& in) { return layer_norm(b, in[0]); }},
      {"sum", "the sum of all", 1, 1,
       [](const Builder& b, const Values& in) { return b.reduce_sum(in[0]); }}};
}

}  // namespace

void add_memory_rows(GpuRows& rows) {
  rows.push_back(
      {.name = "copy",
       .what = "a copy of 256 MiB on the card by its driver, bytes read and written",
       .unit = "GB/s",
       .measure = measure_copy});
  for (const auto& c : cases())
    rows.push_back(
        {.name = c.name,
         .what = c.what + ", of 65536 rows of 1024 float32; bytes that must be read and written",
         .unit = "GB/s",
         .measure = [c](double seconds) { return measure_case(c, seconds); }});
}

}  // namespace troupe::bench
