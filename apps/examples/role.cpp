#include <iostream>
#include <thread>

#include "troupe/capnp/client/client.hpp"
#include "troupe/capnp/server/server.hpp"
#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/graph/cluster/tf_config.hpp"

// One program for all machines: TF_CONFIG says which task this one is. Parameter servers serve,
// workers train one shared weight, and the chief initializes it and stops the servers.

using namespace troupe;
using namespace std::chrono_literals;

int fail(const Status& status) {
  std::cerr << status.to_string() << "\n";
  return 1;
}

/// Every task builds the same graph, so that all share the same variables.
struct Model {
  Builder b;
  Builder ps = b.on("/job:ps/task:0");
  Variable weight = ps.variable("weight", ps.constant(0.0f));
  Variable workers =
      ps.variable("workers", ps.constant(0.0f));  // number of workers that have finished
  Value finish = workers.assign_add(ps.constant(1.0f));
  Value finished = workers.value();
  Value trained = weight.value();
  Value loss = b.square(trained - 3.0);
  Value step = minimize(b, loss, GradientDescent{.learning_rate = 0.1});
  Value initialize = b.initializer();
};

/// The chief may not have initialized the variables yet.
Status train(Session& session, const Model& model) {
  auto status = session.run({}, {model.loss}).status();
  for (int tries = 0; status.code() == Code::failed_precondition && tries < 300; ++tries) {
    std::this_thread::sleep_for(100ms);
    status = session.run({}, {model.loss}).status();
  }
  for (int step = 0; status.ok() && step < 20; ++step)
    status = session.run({}, {}, {model.step}).status();
  return status.ok() ? session.run({}, {}, {model.finish}).status() : status;
}

/// Waits until all workers have finished, and stops the parameter servers.
Status finish(Session& session, const Model& model, const Role& role) {
  for (float finished = 0; finished < static_cast<float>(role.num_workers);) {
    std::this_thread::sleep_for(100ms);
    auto values = session.run({}, {model.finished, model.trained});
    if (!values) return values.status();
    finished = (*values)[0].value<float>();
    std::cout << finished << " finished, weight " << (*values)[1].value<float>() << std::endl;
  }
  for (const auto& [task, address] : role.task.cluster.jobs().at("ps")) {
    auto client = Client::connect(address.to_string());
    if (!client) return client.status();
    if (auto status = (*client)->stop(5s); !status.ok()) return status;
  }
  return {};
}

int main() {
  auto config = TfConfig::read(process_environment());
  auto role = config ? Role::of(*config) : config.status();
  if (!role) return fail(role.status());
  auto server = Server::create(config->server);
  auto status = server ? (*server)->start() : server.status();
  if (!status.ok()) return fail(status);
  if (role->is_ps) return (*server)->join().ok() ? 0 : 1;

  auto client = Client::connect((*server)->target());
  auto session = client ? (*client)->session() : client.status();
  if (!session) return fail(session.status());
  Model model;
  status = (*session)->extend(model.b);
  if (status.ok() && role->is_chief) status = (*session)->run({}, {}, {model.initialize}).status();
  if (status.ok()) status = train(**session, model);
  if (status.ok() && role->is_chief) status = finish(**session, model, *role);
  return status.ok() ? 0 : fail(status);
}
