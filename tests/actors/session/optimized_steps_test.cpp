#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "troupe/actors/local/local_cluster.hpp"
#include "troupe/actors/sim/cluster.hpp"
#include "troupe/graph/optimize/optimize.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/actors/random_program.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

const std::vector<std::string> four_tasks{
    "/job:worker/task:0", "/job:worker/task:1", "/job:worker/task:2", "/job:worker/task:3"};

/// Two steps of a program, as text: a NaN differs from none of the same bits.
template <class AnySession>
std::string answers_of(const RandomProgram& program, AnySession& session) {
  auto initialized = session.run({}, {}, {program.initialize});
  BOOST_TEST_REQUIRE(initialized.ok(), initialized.status().to_string());
  std::string text;
  for (int step = 0; step < 2; ++step) {
    auto values = session.run(program.feeds, program.fetches);
    text += values.ok() ? "" : values.status().to_string();
    if (values.ok())
      for (const auto& value : *values) {
        text += to_string(value.dtype()) + value.shape().to_string();
        for (auto element : value.template values<float>())
          text += " " + std::to_string(std::bit_cast<uint32_t>(element));
        text += "\n";
      }
  }
  return text;
}

std::string answers_in_one_process(
    sim::Seed seed, const std::vector<std::string>& devices, std::vector<std::string> disabled) {
  LocalCluster cluster({{"worker", static_cast<int>(devices.size())}}, {.threads = 1});
  auto session =
      cluster.session("worker", 0, {.optimizes = true, .disabled_passes = std::move(disabled)});
  BOOST_REQUIRE(session.ok());
  Builder b;
  RandomProgram program(b, seed, devices);
  BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
  BOOST_TEST_REQUIRE((*session)->extend(b).ok());
  return answers_of(program, **session);
}

std::string answers_of_a_simulation(sim::Seed seed, const sim::Options& options) {
  sim::Cluster cluster({{"worker", 4}}, seed, options);
  auto session = cluster.session("/job:worker/task:2", {.optimizes = true});
  RandomProgram program(session.graph(), seed, four_tasks);
  BOOST_TEST_REQUIRE(session.graph().status().ok(), session.graph().status().to_string());
  return answers_of(program, session);
}

uint64_t seeds_of_run() {
  const auto* given = std::getenv("TROUPE_OPTIMIZER_SEEDS");
  return given ? std::strtoull(given, nullptr, 10) : 200;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimized_steps)

BOOST_AUTO_TEST_CASE(random_programs_give_the_same_bits_optimized_or_not_on_one_task_or_four) {
  sim::Options options{.catalogs = sim::Catalogs::make()};
  for (uint64_t i = 1; i <= seeds_of_run(); ++i) {
    sim::Seed seed{i};
    BOOST_TEST_CONTEXT("seed " << i) {
      auto expected = answers_in_one_process(seed, {"/job:worker/task:0"}, optimization_passes());
      BOOST_TEST(expected.find("float32[2,3]") != std::string::npos, expected);
      BOOST_TEST(answers_in_one_process(seed, {"/job:worker/task:0"}, {}) == expected);
      BOOST_TEST(answers_of_a_simulation(seed, options) == expected);
      if (i % 8 == 0) {
        BOOST_TEST(answers_in_one_process(seed, four_tasks, {}) == expected);
        BOOST_TEST(answers_in_one_process(seed, four_tasks, optimization_passes()) == expected);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_unknown_pass_is_refused_when_the_session_is_created) {
  LocalCluster cluster({{"worker", 1}});
  auto status = cluster.session("worker", 0, {.disabled_passes = {"folding"}}).status();
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().find("folding") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_task_writes_the_graph_after_each_pass) {
  auto folder = std::filesystem::temp_directory_path() / "troupe_dump_graphs_test";
  std::filesystem::remove_all(folder);
  {
    LocalCluster cluster({{"worker", 1}}, {.dump_graphs = folder});
    auto session = cluster.session("worker", 0, {.optimizes = true});
    BOOST_REQUIRE(session.ok());
    Builder b;
    auto folded = b.constant(1.0f) + b.constant(2.0f);
    BOOST_REQUIRE((*session)->extend(b).ok());
    BOOST_REQUIRE((*session)->run({}, {folded}).ok());
  }
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().extension() == ".txt") names.push_back(file.path().filename());
  std::ranges::sort(names);
  BOOST_REQUIRE(names.size() == 10u);
  BOOST_TEST(names[0] == "plan-1.00.prune.txt");
  BOOST_TEST(names[3] == "plan-1.03.fold_constants.txt");
  BOOST_TEST(names[8] == "plan-1.08.partition_job_worker_task_0_device_CPU_0.txt");
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder))
    if (file.path().filename() == names[3]) {
      auto text = read_file(file.path());
      BOOST_REQUIRE(text.ok());
      BOOST_TEST(text->find(" = Const() ") != std::string::npos, *text);
      BOOST_TEST(text->find("= AddV2(") == std::string::npos, *text);
    }
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()
