#include "troupe/actors/sim/training.hpp"

#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "troupe/graph/build/optimizers/optimizer.hpp"
#include "troupe/graph/train/hooks.hpp"
#include "troupe/graph/train/monitored_session.hpp"
#include "troupe/tests/temporary_folder.hpp"

using namespace troupe;
using namespace std::chrono_literals;
using troupe::testing::TemporaryFolder;

BOOST_AUTO_TEST_SUITE(simulated_training)

namespace {

const std::string ps0 = "/job:ps/task:0";
const std::string ps1 = "/job:ps/task:1";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

/// Linear regression: a worker's graph, with one variable on each parameter server.
struct Model {
  explicit Model(const std::string& worker) {
    auto here = b.on(worker);
    auto first = b.on(ps0), second = b.on(ps1);
    slope = first.variable("slope", first.constant(0.0f));
    offset = second.variable("offset", second.constant(0.0f));
    auto steps = first.variable("global_step", first.constant<int64_t>(0));
    global_step = steps.value();
    slope_now = slope.value();
    offset_now = offset.value();
    auto x = here.random_uniform({16}, DType::float32, /*seed=*/3);
    auto error = (x * slope + offset) - (x * 3.0 + 1.0);
    loss = here.reduce_mean(here.square(error));
    auto trained =
        minimize(here, loss, GradientDescent{.learning_rate = 0.2}, {.var_list = {slope, offset}});
    train = here.group({trained, steps.assign_add(first.constant<int64_t>(1))});
  }

  Builder b;
  Variable slope, offset;
  Value global_step, slope_now, offset_now, loss, train;
};

/// A chief and another worker that train in turns; the chief trains on while the other waits.
struct TrainingFixture {
  explicit TrainingFixture(uint64_t seed) : cluster({{"ps", 2}, {"worker", 2}}, sim::Seed{seed}) {}

  struct WaitingHost final : train::Host {
    explicit WaitingHost(TrainingFixture& fixture) : fixture(fixture) {}
    Time now() override { return fixture.cluster.now(); }
    bool wait(Time time) override {
      fixture.cluster.run_for(time);
      return fixture.chief && fixture.step(*fixture.chief, fixture.chief_model).ok();
    }
    void log(const std::string&) override {}
    TrainingFixture& fixture;
  };

  std::unique_ptr<train::MonitoredSession> begin(
      Model& model, const std::string& master, bool is_chief, train::Host& with) {
    train::Scaffold scaffold(model.b);
    std::vector<std::shared_ptr<train::SessionHook>> hooks;
    if (is_chief) {
      scaffold.saver = saver = std::make_shared<train::Saver>(
          model.b, with, train::SaverOptions{.sharded = sharded, .max_to_keep = 3});
      scaffold.checkpoint_folder = folder.path().string();
      hooks.push_back(train::checkpoint_saver(
          with, {.saver = saver,
                 .prefix = folder / "model",
                 .global_step = model.global_step,
                 .period = {.steps = 10}}));
    }
    auto session = train::MonitoredSession::create(
        {.open =
             [this, master] {
               return Result<std::unique_ptr<BasicSession>>(cluster.open_session(master));
             },
         .scaffold = scaffold,
         .is_chief = is_chief,
         .hooks = hooks,
         .retry = {.first_delay = 10ms, .delay_max = 200ms, .give_up_after = 20s}},
        with);
    BOOST_TEST_REQUIRE(session.ok(), session.status().to_string());
    return *std::move(session);
  }
  void begin() {
    chief = begin(chief_model, worker0, true, host);
    other = begin(other_model, worker1, false, waiting_host);
  }

  Status step(train::MonitoredSession& session, const Model& model) {
    auto values = session.run({}, {model.loss}, {model.train});
    if (values) loss = (*values)[0].value<float>();
    return values.status();
  }
  void train(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      auto status = step(*chief, chief_model);
      BOOST_TEST_REQUIRE(status.ok(), status.to_string());
      status = step(*other, other_model);
      BOOST_TEST_REQUIRE(status.ok(), status.to_string());
    }
  }
  float value(const Value& fetch) {
    auto values = chief->run({}, {fetch});
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return fetch.dtype() == DType::int64 ? static_cast<float>((*values)[0].value<int64_t>())
                                         : (*values)[0].value<float>();
  }
  bool has_logged(const std::string& part) const {
    return std::ranges::any_of(
        log, [&](const auto& line) { return line.find(part) != std::string::npos; });
  }

  TemporaryFolder folder;
  bool sharded = false;
  sim::Cluster cluster;
  std::vector<std::string> log;
  sim::TrainingHost host{cluster, [this](const std::string& line) { log.push_back(line); }};
  WaitingHost waiting_host{*this};
  Model chief_model{worker0}, other_model{worker1};
  std::shared_ptr<train::Saver> saver;
  std::unique_ptr<train::MonitoredSession> chief, other;
  float loss = 0;
};

void flip_last_bit(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(-1, std::ios::end);
  auto byte = static_cast<char>(file.get() ^ 1);
  file.seekp(-1, std::ios::end);
  file.put(byte);
}

}  // namespace

BOOST_DATA_TEST_CASE(
    training_goes_on_although_each_task_in_turn_crashes_and_comes_back,
    boost::unit_test::data::xrange(uint64_t{1}, uint64_t{11}), seed) {
  TrainingFixture fixture(seed);
  fixture.sharded = seed % 2 == 0;
  fixture.begin();
  for (const auto& task : {ps0, ps1, worker0, worker1}) {
    fixture.train(25);
    // Crashes within a step, and restarts after steps have had to wait.
    auto now = fixture.cluster.now();
    fixture.cluster.at(now + std::chrono::microseconds(20 * seed)).crash(task);
    fixture.cluster.at(now + 300ms).restart(task);
  }
  fixture.train(100);
  BOOST_TEST(fixture.cluster.faults().size() == 8U);
  BOOST_TEST(fixture.loss < 1e-3f);
  BOOST_TEST(fixture.chief->close().ok());
  BOOST_TEST(fixture.other->close().ok());
  BOOST_TEST(fixture.cluster.leaks().empty());
}

BOOST_AUTO_TEST_CASE(a_chief_that_restarts_keeps_the_variables_of_running_workers) {
  TrainingFixture fixture(1);
  fixture.begin();
  fixture.train(10);
  auto steps = fixture.value(fixture.chief_model.global_step);
  fixture.chief.reset();
  for (int i = 0; i < 5; ++i) BOOST_TEST(fixture.step(*fixture.other, fixture.other_model).ok());
  fixture.chief = fixture.begin(fixture.chief_model, worker0, true, fixture.host);
  BOOST_TEST(fixture.value(fixture.chief_model.global_step) == steps + 5);
}

BOOST_AUTO_TEST_CASE(only_what_was_lost_is_restored) {
  TrainingFixture fixture(1);
  fixture.begin();
  fixture.train(8);  // saved at 10 of the 16 steps
  auto offset = fixture.value(fixture.chief_model.offset_now);
  auto slope = fixture.value(fixture.chief_model.slope_now);
  fixture.cluster.crash(ps0);
  fixture.cluster.restart(ps0);
  fixture.chief.reset();
  fixture.chief = fixture.begin(fixture.chief_model, worker0, true, fixture.host);
  BOOST_TEST(fixture.has_logged("restored 'global_step', 'slope' from"));
  BOOST_TEST(fixture.value(fixture.chief_model.offset_now) == offset);
  BOOST_TEST(fixture.value(fixture.chief_model.slope_now) != slope);
  auto step = fixture.value(fixture.chief_model.global_step);
  BOOST_TEST((step >= 10 && step < 16));
}

BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_refused_by_name_and_the_one_before_it_taken) {
  TrainingFixture fixture(1);
  fixture.begin();
  fixture.train(20);
  auto paths = fixture.saver->last_checkpoints();
  BOOST_TEST_REQUIRE(paths.size() >= 2U);
  flip_last_bit(paths.back() + ".data-00000-of-00001");
  for (const auto& task : {ps0, ps1}) {
    fixture.cluster.crash(task);
    fixture.cluster.restart(task);
  }
  fixture.chief.reset();
  fixture.chief = fixture.begin(fixture.chief_model, worker0, true, fixture.host);
  BOOST_TEST(fixture.has_logged("checkpoint '" + paths.back() + "' cannot be used: DataLoss: '"));
  BOOST_TEST(fixture.has_logged("from '" + paths[paths.size() - 2] + "'"));
}

BOOST_AUTO_TEST_CASE(without_an_intact_checkpoint_training_fails_and_does_not_begin_anew) {
  TrainingFixture fixture(1);
  fixture.begin();
  fixture.train(10);
  for (const auto& path : fixture.saver->last_checkpoints())
    flip_last_bit(path + ".data-00000-of-00001");
  for (const auto& task : {ps0, ps1}) {
    fixture.cluster.crash(task);
    fixture.cluster.restart(task);
  }
  auto status = fixture.step(*fixture.chief, fixture.chief_model);
  BOOST_TEST((status.code() == Code::data_loss), status.to_string());
  BOOST_TEST(fixture.chief->should_stop());
}

BOOST_AUTO_TEST_CASE(training_fails_with_the_name_of_a_task_that_does_not_come_back) {
  TrainingFixture fixture(1);
  fixture.begin();
  fixture.train(2);
  fixture.cluster.crash(ps1);
  auto before = fixture.cluster.now();
  auto status = fixture.step(*fixture.chief, fixture.chief_model);
  BOOST_TEST((status.code() == Code::deadline_exceeded), status.to_string());
  BOOST_TEST(status.to_string().find(ps1) != std::string::npos, status.to_string());
  BOOST_TEST((fixture.cluster.now() - before < 30s));
}

BOOST_AUTO_TEST_SUITE_END()
