#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
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

/// A value as text: a NaN differs from none of the same bits.
std::string bits_of(const Tensor& value) {
  auto text = std::string(to_string(value.dtype())) + value.shape().to_string();
  const auto* bytes = static_cast<const uint8_t*>(value.raw());
  for (size_t i = 0; i < value.bytes(); ++i) text += " " + std::to_string(bytes[i]);
  return text + "\n";
}

/// Two steps of a program.
template <class AnySession>
std::string answers_of(const RandomProgram& program, AnySession& session) {
  if (program.initialize.is_valid()) {
    auto initialized = session.run({}, {}, {program.initialize});
    BOOST_TEST_REQUIRE(initialized.ok(), initialized.status().to_string());
  }
  std::string text;
  for (int step = 0; step < 2; ++step) {
    auto values = session.run(program.feeds, program.fetches);
    text += values.ok() ? "" : values.status().to_string();
    if (values.ok())
      for (const auto& value : *values) text += bits_of(value);
  }
  return text;
}

template <class Program>
std::string answers_in_one_process(
    sim::Seed seed, const std::vector<std::string>& devices, std::vector<std::string> disabled) {
  LocalCluster cluster({{"worker", static_cast<int>(devices.size())}}, {.threads = 1});
  auto session =
      cluster.session("worker", 0, {.optimizes = true, .disabled_passes = std::move(disabled)});
  BOOST_REQUIRE(session.ok());
  Builder b;
  Program program(b, seed, devices);
  BOOST_TEST_REQUIRE(b.status().ok(), b.status().to_string());
  BOOST_TEST_REQUIRE((*session)->extend(b).ok());
  return answers_of(program, **session);
}

template <class Program>
std::string answers_of_a_simulation(sim::Seed seed, const sim::Options& options) {
  sim::Cluster cluster({{"worker", 4}}, seed, options);
  auto session = cluster.session("/job:worker/task:2", {.optimizes = true});
  Program program(session.graph(), seed, four_tasks);
  BOOST_TEST_REQUIRE(session.graph().status().ok(), session.graph().status().to_string());
  return answers_of(program, session);
}

/// The bits of a program, optimized or not, on one task or four.
template <class Program>
void check_answers(uint64_t number, const sim::Options& options) {
  const sim::Seed seed{number};
  const std::vector<std::string> one_task{four_tasks.front()};
  auto expected = answers_in_one_process<Program>(seed, one_task, optimization_passes());
  BOOST_TEST(expected.starts_with("float"), expected);
  BOOST_TEST(answers_in_one_process<Program>(seed, one_task, {}) == expected);
  BOOST_TEST(answers_of_a_simulation<Program>(seed, options) == expected);
  if (number % 8 != 0) return;
  BOOST_TEST(answers_in_one_process<Program>(seed, four_tasks, {}) == expected);
  BOOST_TEST(answers_in_one_process<Program>(seed, four_tasks, optimization_passes()) == expected);
}

double dot(const Tensor& x, const Tensor& y) {
  double sum = 0;
  for (size_t i = 0; i < x.values<double>().size(); ++i)
    sum += x.values<double>()[i] * y.values<double>()[i];
  return sum;
}

/// The slope of a program's total, and what it should be by its derivatives.
struct Slope {
  double difference;  // by central differences
  double derivative;
  double error;  // of the difference, as two of them show it
};

class SlopeMeter {
 public:
  explicit SlopeMeter(sim::Seed seed)
      : random_(seed, "directions"), program_(b_, seed, {four_tasks.front()}) {
    BOOST_TEST_REQUIRE(b_.status().ok(), b_.status().to_string());
    session_ = *cluster_.session("worker", 0, {.optimizes = true});
    BOOST_TEST_REQUIRE(session_->extend(b_).ok());
  }

  /// In a random direction of the values of a feed.
  Slope measure(size_t feed) {
    std::vector<double> elements;
    for (int i = 0; i < 6; ++i) elements.push_back(2 * random_.fraction() - 1);
    auto direction = Tensor::of<double>({2, 3}, std::span<const double>(elements));
    auto wide = difference(feed, direction, 2e-4), narrow = difference(feed, direction, 1e-4);
    auto derivative = run(program_.feeds, program_.fetches)[1 + feed];
    return {(4 * narrow - wide) / 3, dot(derivative, direction), std::abs(narrow - wide)};
  }

 private:
  Tensors run(const std::vector<Feed>& feeds, const std::vector<Ref>& fetches) {
    auto values = session_->run(feeds, fetches);
    BOOST_TEST_REQUIRE(values.ok(), values.status().to_string());
    return *values;
  }
  double total(size_t feed, const Tensor& direction, double step) {
    auto feeds = program_.feeds;
    std::vector<double> moved;
    for (size_t i = 0; i < 6; ++i)
      moved.push_back(feeds[feed].value.values<double>()[i] + step * direction.values<double>()[i]);
    feeds[feed].value = Tensor::of<double>({2, 3}, std::span<const double>(moved));
    return run(feeds, {program_.fetches[0]})[0].value<double>();
  }
  double difference(size_t feed, const Tensor& direction, double step) {
    return (total(feed, direction, step) - total(feed, direction, -step)) / (2 * step);
  }

  LocalCluster cluster_{{{"worker", 1}}, {.threads = 1}};
  std::unique_ptr<Session> session_;
  sim::Random random_;
  Builder b_;
  RandomDerivatives program_;
};

uint64_t number_of(const char* variable, uint64_t otherwise) {
  const auto* given = std::getenv(variable);
  return given ? std::strtoull(given, nullptr, 10) : otherwise;
}
uint64_t first_seed_of_run() { return number_of("TROUPE_OPTIMIZER_FIRST_SEED", 1); }
uint64_t last_seed_of_run() { return number_of("TROUPE_OPTIMIZER_SEEDS", 200); }

}  // namespace

BOOST_AUTO_TEST_SUITE(optimized_steps)

BOOST_AUTO_TEST_CASE(random_programs_give_the_same_bits_optimized_or_not_on_one_task_or_four) {
  sim::Options options{.catalogs = sim::Catalogs::make()};
  for (uint64_t seed = first_seed_of_run(); seed <= last_seed_of_run(); ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) { check_answers<RandomProgram>(seed, options); }
}

BOOST_AUTO_TEST_CASE(derivatives_of_random_programs_have_the_same_bits_on_one_task_or_four) {
  sim::Options options{.catalogs = sim::Catalogs::make()};
  for (uint64_t seed = first_seed_of_run(); seed <= last_seed_of_run(); ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) { check_answers<RandomDerivatives>(seed, options); }
}

BOOST_AUTO_TEST_CASE(derivatives_of_random_programs_are_their_central_differences) {
  uint64_t count = 0, rough = 0, zeros = 0;
  for (uint64_t seed = first_seed_of_run(); seed <= last_seed_of_run(); ++seed)
    BOOST_TEST_CONTEXT("seed " << seed) {
      SlopeMeter meter{sim::Seed{seed}};
      for (size_t feed = 0; feed < 2; ++feed) {
        auto slope = meter.measure(feed);
        auto scale = std::max(1.0, std::abs(slope.difference));
        ++count;
        zeros += slope.derivative == 0;
        // Where the function bends more within a step, or jumps, differences tell nothing.
        if (slope.error > 1e-4 * scale) ++rough;
        else
          BOOST_TEST(
              std::abs(slope.derivative - slope.difference) <= 1e-6 * scale,
              "feed " << feed << ": " << slope.derivative << " instead of " << slope.difference
                      << ", +- " << slope.error);
      }
    }
  BOOST_TEST(20 * rough <= count, rough << " of " << count << " cannot be compared");
  BOOST_TEST(4 * zeros <= count, zeros << " of " << count << " are zero");
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
