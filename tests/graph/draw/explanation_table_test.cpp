#include "troupe/graph/draw/explanation_table.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

StepExplanation explained_step() {
  return {
      .placement = "cost",
      .predicted = 123us,
      .devices = {{.device = "a", .nodes = 1, .predicted = 7us}, {.device = "b", .nodes = 1}},
      .nodes =
          {{.node = "x",
            .op = "Const",
            .device = "a",
            .inputs = {},
            .why = "it asks for a",
            .alternatives = {"b", "c"},
            .predicted = 7us}},
      .transfers = {{.tensor = "x:0", .from = "a", .to = "b", .bytes = 4000, .predicted = 104us}}};
}

void check_table_says(const std::string& text, const std::string& part) {
  BOOST_TEST(text.find(part) != std::string::npos, "'" << part << "' is not in:\n" << text);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(explanation_table)

BOOST_AUTO_TEST_CASE(a_table_has_the_step_its_devices_transfers_and_nodes) {
  auto table = to_table(explained_step());
  check_table_says(table, "placement: cost; predicted: 123.0 us\n");
  check_table_says(table, "device  nodes  predicted  measured  peak bytes");
  check_table_says(
      table, "a       1      7.0 us     -         0           -              0         4000");
  check_table_says(table, "x:0     a     b   4000   104.0 us   assumed\n");
  check_table_says(table, "it asks for a; possible, too: b, c\n");
}

BOOST_AUTO_TEST_CASE(as_json_it_has_all_fields) {
  auto json = nlohmann::json::parse(to_json(explained_step()));
  BOOST_TEST(json["predicted_ns"] == 123000);
  BOOST_TEST(json["nodes"][0]["why"] == "it asks for a");
  BOOST_TEST(json["nodes"][0]["alternatives"].size() == 2U);
  BOOST_TEST(json["transfers"][0]["bytes"] == 4000);
  BOOST_TEST(json["devices"].size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()
