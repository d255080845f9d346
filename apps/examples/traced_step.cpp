#include <iostream>

#include "troupe/capnp/client.hpp"

// Where does a step spend its time, and what runs where? Runs one training step through the node of
// the command line, and writes step.json for ui.perfetto.dev and step.dot for Graphviz.

using namespace troupe;

struct Model {
  Builder b;
  Builder worker = b.on("/job:worker/task:0");
  Value x = worker.placeholder(DType::float32, {Shape::unknown, 64});
  Variable w = b.on("/job:ps/task:0").variable("w", b.random_normal({64, 10}, DType::float32));
  Value loss = worker.reduce_mean(worker.square(worker.matmul(x, w)));
  Value train = minimize(worker, loss, GradientDescent{.learning_rate = 0.1});
  Value initialize = b.initializer();
};

Status write_pictures(const TracedStep& step) {
  auto picture = to_dot(step.metadata);
  if (!picture) return picture.status();
  auto status = write_file("step.dot", *picture);
  return status.ok() ? write_file("step.json", to_chrome_trace(step.metadata)) : status;
}

Status run(const std::string& target) {
  auto client = Client::connect(target);
  if (!client) return client.status();
  auto session = (*client)->session();
  if (!session) return session.status();
  Model model;
  auto status = (*session)->extend(model.b);
  if (status.ok()) status = (*session)->run({}, {}, {model.initialize}).status();
  if (!status.ok()) return status;

  auto rows = to_tensor(Eigen::MatrixXf::Random(256, 64));
  auto step = (*session)->trace(
      {{model.x, rows}}, {model.loss}, {model.train},
      {.trace = Trace::full, .output_partition_graphs = true});
  if (!step) return step.status();
  std::cout << "loss " << step->values[0].value<float>() << "\n";
  return write_pictures(*step);
}

int main(int argc, char** argv) {
  auto status = run(argc > 1 ? argv[1] : "troupe://localhost:2223");
  if (status.ok()) return 0;
  std::cerr << status.to_string() << "\n";
  return 1;
}
