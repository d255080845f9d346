#include "troupe/actors/sim/fault.hpp"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

using namespace troupe;
using namespace std::chrono_literals;
using sim::Fault;

namespace {

const auto spec = sim::make_spec({{"ps", 2}, {"worker", 3}});

std::vector<Fault> draw(uint64_t seed, const sim::FaultOptions& options = {}) {
  return sim::draw_faults(spec, {seed}, options);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(fault)

BOOST_AUTO_TEST_CASE(it_is_written_as_the_line_of_code_that_schedules_it) {
  auto cpp = [](const Fault& fault) { return fault.to_cpp(); };
  BOOST_TEST(
      cpp({.kind = Fault::Kind::crash, .time = 1'234us, .tasks = "/job:ps/task:0"}) ==
      R"(cluster.at(1'234us).crash("/job:ps/task:0");)");
  BOOST_TEST(
      cpp({.kind = Fault::Kind::slow, .time = 7ns, .tasks = "/job:ps/task:0", .number = 2.5}) ==
      R"(cluster.at(7ns).slow("/job:ps/task:0", 2.5);)");
  BOOST_TEST(
      cpp(
          {.kind = Fault::Kind::cut,
           .time = 1s,
           .tasks = {"/job:ps/task:0", "/job:ps/task:1"},
           .others = "/job:a/task:0"}) ==
      R"(cluster.at(1'000'000us).cut({"/job:ps/task:0", "/job:ps/task:1"}, "/job:a/task:0");)");
}

BOOST_AUTO_TEST_CASE(a_seed_gives_one_script_and_another_seed_another) {
  BOOST_TEST((draw(7) == draw(7)));
  BOOST_TEST((draw(7) != draw(8)));
}

BOOST_AUTO_TEST_CASE(a_script_stays_in_its_span_and_has_only_the_given_kinds) {
  sim::FaultOptions options{
      .begin = 10ms, .end = 20ms, .most = 5, .kinds = {Fault::Kind::crash, Fault::Kind::freeze}};
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto script = draw(seed, options);
    BOOST_TEST_REQUIRE(script.size() >= 2U);  // something, and its end
    BOOST_TEST_REQUIRE(script.size() <= 10U);
    BOOST_TEST(std::ranges::is_sorted(script, {}, &Fault::time));
    for (const auto& fault : script) {
      BOOST_TEST((10ms <= fault.time && fault.time <= 20ms), fault.to_cpp());
      BOOST_TEST((fault.kind <= Fault::Kind::thaw), fault.to_cpp());
    }
  }
}

BOOST_AUTO_TEST_CASE(a_script_ends_all_its_faults) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    std::map<std::string, int> dead, frozen;
    std::map<std::string, double> slowness;
    std::set<std::pair<std::string, std::string>> cut;
    for (const auto& fault : draw(seed)) {
      const auto& task = fault.tasks.names[0];
      if (fault.kind == Fault::Kind::crash) dead[task] = 1;
      if (fault.kind == Fault::Kind::restart) dead[task] = 0;
      if (fault.kind == Fault::Kind::freeze) frozen[task] = 1;
      if (fault.kind == Fault::Kind::thaw) frozen[task] = 0;
      if (fault.kind == Fault::Kind::slow) slowness[task] = fault.number;
      for (const auto& from : fault.tasks)
        for (const auto& to : fault.others)
          if (fault.kind == Fault::Kind::cut) cut.insert({from, to});
          else cut.erase({from, to});
    }
    BOOST_TEST(cut.empty());
    for (const auto& [task, is_dead] : dead) BOOST_TEST(!is_dead);
    for (const auto& [task, is_frozen] : frozen) BOOST_TEST(!is_frozen);
    for (const auto& [task, factor] : slowness) BOOST_TEST(factor == 1);
  }
}

BOOST_AUTO_TEST_CASE(each_fault_of_a_script_is_paired_with_the_one_that_ends_it) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    auto script = draw(seed, {.most = 8});
    auto pairs = sim::pair_with_ends(script);
    size_t ended = 0;
    for (const auto& [fault, end] : pairs) {
      BOOST_TEST((fault.kind == Fault::Kind::break_link) == !end, fault.to_cpp());
      if (!end) continue;
      ++ended;
      BOOST_TEST((end->tasks == fault.tasks && end->others == fault.others), end->to_cpp());
      BOOST_TEST((fault.time <= end->time));
    }
    BOOST_TEST(script.size() == pairs.size() + ended);
    BOOST_TEST(sim::script_of(pairs).size() == script.size());
  }
}

BOOST_AUTO_TEST_CASE(a_cluster_of_one_task_has_no_links_to_break) {
  auto alone = sim::make_spec({{"local", 1}});
  for (uint64_t seed = 0; seed < 100; ++seed)
    for (const auto& fault : sim::draw_faults(alone, {seed}, {}))
      BOOST_TEST(fault.others.names.empty());
}

BOOST_AUTO_TEST_SUITE_END()
