#include <iostream>
#include <logistic_regression.hpp>

#include "troupe/capnp/server/train/run.hpp"

// One program for all machines: TF_CONFIG says which task this one is. Any task may be killed and
// started again. The first argument is the folder of checkpoints, the second the number of steps.
// simulated_regression.cpp tests it.

using namespace troupe;

int main(int argc, char** argv) {
  auto config = TfConfig::read(process_environment());
  auto status = config.status();
  LogisticRegression regression(std::random_device{}());
  if (config)
    status = train::run(
        *config, [&](const Role& role) { return regression.make_model(role); },
        [&](auto& session, const auto&) { return regression.step(session); },
        {.checkpoint_dir = argc > 1 ? argv[1] : "",
         .save_period = {.steps = 100},
         .last_step = argc > 2 ? std::stoi(argv[2]) : 1000});
  if (!status.ok()) {
    std::cerr << status.to_string() << "\n";
    return 1;
  }
  std::cout << "loss " << regression.loss() << "\n";
}
