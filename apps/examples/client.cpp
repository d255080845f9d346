#include <iostream>

#include "troupe/capnp/client.hpp"

using namespace troupe;

int fail(const Status& status) {
  std::cerr << status.to_string() << "\n";
  return 1;
}

int main() {
  Builder b;
  auto ps = b.on("/job:ps/task:0");
  auto worker = b.on("/job:worker/task:0");

  auto x = worker.placeholder(DType::float32, {Shape::unknown, 2});
  auto w = ps.variable("w", ps.constant(Tensor::of<float>({2, 1}, {0.5f, -1.0f})));
  auto y = worker.relu(worker.matmul(x, w) + 1.0);
  auto initialize = b.initializer();

  auto client = Client::connect("troupe://localhost:2223");
  if (!client) return fail(client.status());
  auto session = (*client)->session();
  if (!session) return fail(session.status());

  auto status = (*session)->extend(b);  // reports the builder's first error, too
  if (status.ok()) status = (*session)->run({}, {}, {initialize}).status();
  if (!status.ok()) return fail(status);

  auto rows = Tensor::of<float>({2, 2}, {1, 2, 3, 1});
  auto values = (*session)->run({{x, rows}}, {y});
  if (!values) return fail(values.status());
  std::cout << (*values)[0].to_string() << "\n";
}
