// How long does a product of two matrices take that lie on the card?
#include <cmath>

#include "troupe/tests/benchmarks/gpu/figures.hpp"
#include "troupe/tests/benchmarks/gpu/gpu_program.hpp"

namespace troupe::bench {
namespace {

struct Product {
  int64_t size;
  int count;  // of a step, so that the step's own time does not matter
};

Result<Figure> measure_product(Product product, Precision precision, double seconds) {
  GpuProgram program({.allows_tf32 = precision == Precision::tf32});
  Shape shape{product.size, product.size};
  auto x = program.random("x", shape, dtype_of(precision)).value();
  auto y = program.random("y", shape, dtype_of(precision)).value();
  Values products;
  for (int i = 0; i < product.count; ++i) products.push_back(program.b().matmul(x, y));
  auto step = program.b().group(products);
  if (auto status = program.initialize(); !status.ok()) return status;
  auto time = program.seconds_of(step, seconds);
  if (!time) return time.status();
  auto of_one = *time / product.count;
  auto flops = 2 * std::pow(static_cast<double>(product.size), 3) / of_one;
  return Figure{of_one * 1e6, to_text(flops / 1e12, 1) + " TFLOP/s"};
}

}  // namespace

void add_products(GpuRows& rows) {
  for (auto product : {Product{1024, 50}, {2048, 50}, {4096, 20}, {8192, 8}})
    for (auto precision : {Precision::float32, Precision::tf32, Precision::bfloat16}) {
      auto size = std::to_string(product.size);
      rows.push_back(
          {.name = "matmul_" + size + "_" + to_string(precision),
           .what = "a product [" + size + "," + size + "] x [" + size + "," + size + "] of " +
                   std::to_string(product.count) + " in a step, " + to_string(precision),
           .unit = "us",
           .measure = [=](double seconds) {
             return measure_product(product, precision, seconds);
           }});
    }
}

}  // namespace troupe::bench
