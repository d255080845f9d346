#include "troupe/graph/optimize/optimize.hpp"

#include "troupe/graph/optimize/graph_dump.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/tests/graph/optimize/pass_fixture.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct OptimizeFixture : PassFixture {
  OptimizeFixture() : PassFixture("") {}

  /// All passes but those, and the names that they were observed with.
  std::shared_ptr<const PlacedStep> run_all(
      const StepSignature& signature, std::vector<std::string> disabled,
      std::vector<std::string>* observed = nullptr) {
    auto step = prune(b.graph(), signature);
    BOOST_REQUIRE(step.ok());
    std::map<NodeId, DeviceName> devices;
    for (auto id : step->nodes) devices[id] = DeviceName{"a", 0, "CPU", 0};
    OptimizeOptions options{.disabled = std::move(disabled)};
    if (observed)
      options.observe = [observed](std::string_view pass, const PlacedStep&) {
        observed->emplace_back(pass);
      };
    return optimize(b.graph(), *step, devices, options);
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(optimize_step, OptimizeFixture)

BOOST_AUTO_TEST_CASE(each_pass_can_be_observed_and_left_out) {
  auto x = b.placeholder(DType::float32, {2});
  auto y = b.neg(b.neg(b.tanh(x)));
  StepSignature signature{.feeds = {x.name()}, .fetches = {y.name()}};
  std::vector<std::string> observed;
  BOOST_TEST(run_all(signature, {}, &observed)->step.nodes.size() == 1u);
  BOOST_TEST(observed == optimization_passes(), boost::test_tools::per_element());
  observed.clear();
  BOOST_TEST(!run_all(signature, {"simplify_arithmetic"}, &observed));
  BOOST_TEST(std::ranges::count(observed, "simplify_arithmetic") == 0);
}

BOOST_AUTO_TEST_CASE(an_unknown_pass_is_an_error_that_lists_the_passes) {
  auto status = check_pass_names({"fold_constants", "fold"});
  BOOST_TEST((status.code() == Code::invalid_argument));
  BOOST_TEST(status.message().starts_with("'fold' is no optimization pass; they are "));
  BOOST_TEST(status.message().find("merge_duplicates") != std::string::npos);
  BOOST_TEST(check_pass_names(optimization_passes()).ok());
}

BOOST_AUTO_TEST_CASE(feeds_and_fetches_stay_in_their_places) {
  auto x = b.placeholder(DType::float32, {2}), split = b.op("Switch", {x, b.constant(true)});
  auto y = b.identity(b.tanh(split.output(1)));
  StepSignature signature{
      .feeds = {split.output(1).name(), x.name()}, .fetches = {x.name(), y.name(), y.name()}};
  auto optimized = run_all(signature, {});
  BOOST_REQUIRE(optimized);
  const auto& step = optimized->step;
  BOOST_REQUIRE((step.feeds.size() == 2u && step.fetches.size() == 3u));
  BOOST_TEST((step.fetches[0] == step.feeds[1]));
  BOOST_TEST((step.fetches[1] == step.fetches[2]));
  BOOST_TEST(optimized->graph->node(step.fetches[1].node).op->name() == "Tanh");
  BOOST_TEST((optimized->graph->node(step.fetches[1].node).inputs[0] == step.feeds[0]));
}

BOOST_AUTO_TEST_CASE(a_graph_is_dumped_as_text_and_for_graphviz) {
  auto folder = std::filesystem::temp_directory_path() / "troupe_graph_dump_test";
  std::filesystem::remove_all(folder);
  auto x = b.named("x").placeholder(DType::float32, {2}), y = b.named("y").tanh(x);
  auto step = prune(b.graph(), {.feeds = {x.name()}, .fetches = {y.name()}});
  BOOST_REQUIRE(step.ok());
  GraphDump dump(folder, 3);
  auto device = DeviceName{"a", 0, "CPU", 0};
  BOOST_TEST(dump.write("prune", b.graph(), step->nodes).ok());
  BOOST_TEST(dump.write("place", b.graph(), step->nodes, {{y.output().node, device}}).ok());
  auto text = read_file(folder / "plan-3.01.place.txt");
  BOOST_REQUIRE(text.ok());
  BOOST_TEST(*text == "y = Tanh(x:0) T=float32 @/job:a/task:0/device:CPU:0\n");
  auto picture = read_file(folder / "plan-3.00.prune.dot");
  BOOST_REQUIRE(picture.ok());
  BOOST_TEST(picture->starts_with("digraph"));
  std::filesystem::remove_all(folder);
}

BOOST_AUTO_TEST_SUITE_END()
