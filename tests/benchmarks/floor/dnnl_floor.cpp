// The rate of oneDNN alone, with threads and layouts of its own choice: the bound of kernels that
// call it. Prints GFLOP/s of each call, a line each.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <CLI/CLI.hpp>
#include <oneapi/dnnl/dnnl.hpp>

namespace {

using dnnl::memory;

struct Convolution {
  int64_t batch, size, channels, filters, kernel, stride;

  int64_t out_size() const { return (size + stride - 1) / stride; }
  double flops() const {
    return 2.0 * double(batch * out_size() * out_size()) * double(filters * channels) *
           double(kernel * kernel);
  }
};

template <class Action>
void print_rates(double flops, double seconds, Action action) {
  using Clock = std::chrono::steady_clock;
  for (int i = 0; i < 2; ++i) action();
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    auto begin = Clock::now();
    action();
    std::chrono::duration<double> taken = Clock::now() - begin;
    std::printf("%.6g\n", flops / taken.count() / 1e9);
  } while (Clock::now() < end);
}

void measure_product(int64_t size, double seconds) {
  std::vector<float> a(static_cast<size_t>(size * size), 0.5F), b = a, c = a;
  print_rates(2.0 * double(size) * double(size) * double(size), seconds, [&] {
    dnnl::sgemm('N', 'N', size, size, size, 1, a.data(), size, b.data(), size, 0, c.data(), size);
  });
}

void measure_convolution(const Convolution& c, double seconds) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  auto desc = [](const memory::dims& dims) {
    return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
  };
  // As TensorFlow's SAME.
  auto padding = std::max<int64_t>(0, (c.out_size() - 1) * c.stride + c.kernel - c.size);
  auto before = padding / 2, after = padding - before;
  using Forward = dnnl::convolution_forward;
  Forward::primitive_desc chosen(
      Forward::desc(
          dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct,
          desc({c.batch, c.channels, c.size, c.size}),
          desc({c.filters, c.channels, c.kernel, c.kernel}),
          desc({c.batch, c.filters, c.out_size(), c.out_size()}), {c.stride, c.stride},
          {before, before}, {after, after}),
      engine);
  memory input(chosen.src_desc(), engine), filter(chosen.weights_desc(), engine),
      output(chosen.dst_desc(), engine);
  for (auto* tensor : {&input, &filter}) {
    auto* elements = static_cast<float*>(tensor->get_data_handle());
    std::fill_n(elements, tensor->get_desc().get_size() / sizeof(float), 0.5F);
  }
  Forward forward(chosen);
  print_rates(c.flops(), seconds, [&] {
    forward.execute(
        stream, {{DNNL_ARG_SRC, input}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, output}});
    stream.wait();
  });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints GFLOP/s of calls of oneDNN, a line each.");
  app.require_subcommand(1);
  double seconds = 1;
  app.add_option("--seconds", seconds, "how long to measure")->capture_default_str();
  std::vector<int64_t> sizes;
  auto* product = app.add_subcommand("product", "of two square matrices");
  product->add_option("size", sizes)->expected(1)->required();
  auto* convolution = app.add_subcommand("convolution", "with padding, of square images");
  convolution->add_option("sizes", sizes, "batch, size, channels, filters, kernel, stride")
      ->expected(6)
      ->required();
  CLI11_PARSE(app, argc, argv);
  if (*product) measure_product(sizes[0], seconds);
  else measure_convolution({sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]}, seconds);
}
