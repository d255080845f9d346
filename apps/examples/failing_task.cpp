#include <iostream>

#include "troupe/actors/sim/cluster.hpp"

using namespace troupe;
using namespace std::chrono_literals;

int main() {
  sim::Cluster cluster({{"ps", 1}, {"worker", 2}}, sim::Seed{7});
  auto session = cluster.session("/job:worker/task:0");
  auto b = session.graph();
  auto weights = b.on("/job:ps/task:0").constant(2.0f);
  auto total = b.on("/job:worker/task:1").neg(weights);
  auto healthy = session.run({}, {total});

  cluster.crash("/job:worker/task:1");
  auto failed = session.run({}, {total});
  std::cout << failed.status().to_string() << "\n";
  return healthy.ok() && failed.status().where().task == "/job:worker/task:1" ? 0 : 1;
}
