#include "troupe/tests/processes/support/trainer.hpp"

#include <algorithm>
#include <utility>

#include "troupe/graph/build/optimizers/optimizer.hpp"

namespace troupe::testing {
namespace {

using namespace std::chrono_literals;

const std::string parameter_server = "/job:ps/task:0";

}  // namespace

/// Two layers, trained towards the output 1.
struct Trainer::Model {
  explicit Model(const std::string& compute) {
    auto ps = b.on(parameter_server).container("training");
    auto here = b.on(compute);
    auto first = ps.variable("first", ps.fill(ps.ints({32, 32}), ps.constant(0.01f)));
    auto second = ps.variable("second", ps.fill(ps.ints({32, 8}), ps.constant(0.01f)));
    auto x = here.random_normal({64, 32}, DType::float32, /*seed=*/7);
    auto y = here.matmul(here.tanh(here.matmul(x, first)), second);
    auto loss = here.reduce_mean(here.square(y - 1.0));
    train =
        minimize(here, loss, GradientDescent{.learning_rate = 0.01}, {.var_list = {first, second}});
    initialize = ps.initializer();
  }

  Builder b;
  Value train;
  Value initialize;
};

Trainer::Trainer(Options options) : options_(std::move(options)) {
  thread_ = std::thread([this] { work(); });
}

Trainer::~Trainer() {
  is_over_ = true;
  thread_.join();
}

bool Trainer::uses(const std::string& task) const {
  return task == options_.master || task == options_.compute || task == parameter_server;
}

bool Trainer::await_steps(int count) {
  std::unique_lock lock(mutex_);
  auto wanted = steps_ + count;
  return changed_.wait_for(lock, test_timeout, [&] { return steps_ >= wanted; });
}

std::optional<Trainer::Step> Trainer::await_failure(Clock::time_point since) {
  std::unique_lock lock(mutex_);
  auto find = [&] {
    return std::ranges::find_if(failures_, [&](const Step& step) { return step.end >= since; });
  };
  if (!changed_.wait_for(lock, test_timeout, [&] { return find() != failures_.end(); })) return {};
  return *find();
}

std::vector<Trainer::Step> Trainer::take_failures() {
  std::lock_guard lock(mutex_);
  return std::exchange(failures_, {});
}

void Trainer::work() {
  Model model(options_.compute);
  while (!is_over_) {
    auto client = Client::connect(
        options_.target, {.timeout = 1s, .heartbeat_limit = options_.heartbeat_limit});
    if (client) train(model, **client);
  }
}

/// Trains until the end, or until the client's node is lost.
void Trainer::train(const Model& model, Client& client) {
  auto session = client.session();
  if (!session || !(*session)->extend(model.b).ok()) return;
  auto target = &model.initialize;
  while (!is_over_) {
    auto begin = Clock::now();
    auto status = run(**session, *target);
    record({.begin = begin, .end = Clock::now(), .status = status});
    if (status.where().task == options_.master && status.code() == Code::unavailable) return;
    if (status.ok()) target = &model.train;
    if (status.code() == Code::failed_precondition) target = &model.initialize;
  }
}

Status Trainer::run(Session& session, const Value& target) {
  return session.run({}, {}, {target}, {.timeout = options_.step_timeout}).status();
}

void Trainer::record(Step step) {
  std::lock_guard lock(mutex_);
  if (step.status.ok()) ++steps_;
  else failures_.push_back(std::move(step));
  changed_.notify_all();
}

}  // namespace troupe::testing
