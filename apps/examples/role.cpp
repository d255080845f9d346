#include <iostream>

#include "troupe/capnp/server/train/run.hpp"
#include "troupe/graph/build/optimizers/global_step.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"

// One program for all machines: TF_CONFIG says which task this one is. Parameter servers serve,
// workers train one shared weight, and the chief initializes it, saves it to the folder that is the
// first argument, and stops the others at the end. Any of them may be killed and started again.

using namespace troupe;

namespace {

/// The nodes that this program runs besides those of train::TrainedModel.
struct Nodes {
  Value step;
  Value loss;
};

train::TrainedModel make_model(const Role& role, Nodes& nodes) {
  Builder b;
  auto ps = b.on(role.num_ps > 0 ? "/job:ps/task:0" : "");
  auto weight = ps.variable("weight", ps.constant(0.0f));
  auto global_step = get_or_create_global_step(ps);
  nodes.loss = b.square(weight - 3.0);
  nodes.step =
      minimize(b, nodes.loss, GradientDescent{.learning_rate = 0.1}, {.global_step = global_step});
  return {b, global_step};
}

}  // namespace

int main(int argc, char** argv) {
  auto config = TfConfig::read(process_environment());
  auto status = config.status();
  Nodes nodes;
  float loss = 0;
  if (config)
    status = train::run(
        *config, [&](const Role& role) { return make_model(role, nodes); },
        [&](train::MonitoredSession& session, const train::TrainedModel&) {
          auto fetched = session.run({}, {nodes.loss}, {nodes.step});
          if (fetched) loss = (*fetched)[0].value<float>();
          return fetched.status();
        },
        {.checkpoint_dir = argc > 1 ? argv[1] : "", .last_step = 60});
  if (!status.ok()) {
    std::cerr << status.to_string() << "\n";
    return 1;
  }
  std::cout << "loss " << loss << "\n";
}
