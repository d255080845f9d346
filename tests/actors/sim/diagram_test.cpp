#include "troupe/actors/sim/diagram.hpp"

#include <boost/test/unit_test.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

const std::string ps = "/job:ps/task:0";
const std::string worker0 = "/job:worker/task:0";
const std::string worker1 = "/job:worker/task:1";

}  // namespace

BOOST_AUTO_TEST_SUITE(diagram)

BOOST_AUTO_TEST_CASE(messages_are_arrows_between_the_columns_of_their_tasks) {
  auto text = sim::draw_diagram(
      {{.time = 1'234'500ns, .from = worker0, .to = ps, .what = "StartStep"},
       {.time = 2ms, .from = ps, .to = worker1, .what = "Deliver 1 edge", .lost = true},
       {.time = 3ms, .from = worker1, .to = worker0, .what = "Ping", .lost = true}},
      {{.kind = sim::Fault::Kind::crash, .time = 1'500us, .tasks = worker1}});
  BOOST_TEST(
      text ==
      "     time/us  ps/0                  worker/0              worker/1\n"
      "      1234.5   |<-----StartStep------|                     |\n"
      "      1500.0  * crash(\"/job:worker/task:1\")\n"
      "      2000.0   |--------------Deliver 1 edge--------------x|  (lost)\n"
      "      3000.0   |                     |x-------Ping---------|  (lost)\n");
}

BOOST_AUTO_TEST_CASE(a_name_that_is_too_long_is_cut_off) {
  auto text = sim::draw_diagram(
      {{.time = 0ns, .from = ps, .to = worker0, .what = "StepDone FailedPrecondition"}}, {});
  BOOST_TEST(text.find("|--StepDone FailedPr->|") != std::string::npos, text);
}

BOOST_AUTO_TEST_CASE(without_messages_the_faults_are_drawn) {
  auto text = sim::draw_diagram({}, {{.time = 1ms, .tasks = ps}});
  BOOST_TEST(text.find("1000.0  * crash(\"/job:ps/task:0\")") != std::string::npos, text);
}

BOOST_AUTO_TEST_SUITE_END()
