#include "troupe/tests/benchmarks/report.hpp"

namespace troupe::bench {

void print_table(const Report& report, const std::string& machine) {
  std::printf("%s\n\n%-44s %12s  %-10s %s\n", machine.c_str(), "what", "value", "unit", "note");
  for (const auto& row : report)
    std::printf(
        "%-44s %12.1f  %-10s %s\n", row.what.c_str(), row.value, row.unit.c_str(),
        row.note.c_str());
}

nlohmann::json to_json(const Report& report, const std::string& machine) {
  auto rows = nlohmann::json::array();
  for (const auto& row : report)
    rows.push_back(
        {{"what", row.what}, {"value", row.value}, {"unit", row.unit}, {"note", row.note}});
  return {{"machine", machine}, {"rows", rows}};
}

}  // namespace troupe::bench
