// How fast is the first GPU, as programs use it? Measured for tests/benchmarks/gpu/__main__.py,
// which compares with PyTorch.
#include <algorithm>
#include <iostream>
#include <regex>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "troupe/devices/accelerator/card_library.hpp"
#include "troupe/devices/local_devices.hpp"
#include "troupe/tests/benchmarks/gpu/figures.hpp"

namespace {

using namespace troupe::bench;

/// What CTest is told to take for "skipped".
constexpr int skipped = 77;

struct Settings {
  std::string only;
  double seconds = 0.3;
  bool list = false;
  bool serve = false;
};

GpuRows all_rows() {
  GpuRows rows;
  add_memory_rows(rows);
  add_products(rows);
  add_convolutions(rows);
  add_small_steps(rows);
  add_training(rows);
  add_overlap(rows);
  return rows;
}

/// Prints the row as a line of JSON.
void measure(const GpuRow& row, double seconds) {
  nlohmann::json line = {{"name", row.name}, {"unit", row.unit}, {"what", row.what}};
  auto figure = row.measure(seconds);
  if (figure) {
    line["value"] = figure->value;
    if (!figure->note.empty()) line["note"] = figure->note;
  } else {
    line["error"] = figure.status().to_string();
  }
  std::cout << line.dump() << std::endl;
}

/// Of the card that is measured.
std::string card_name() {
  auto library = troupe::accelerator::load_cuda();
  if (!library) return library.status().message();
  auto driver = (*library)->open(0);
  return driver ? (*driver)->facts().name : driver.status().message();
}

/// Answers tests/benchmarks/peers/side_process.py.
void serve(const GpuRows& rows) {
  std::cout << nlohmann::json{{"version", card_name()}} << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    auto request = nlohmann::json::parse(line);
    auto row = std::ranges::find(rows, request.at("workload").get<std::string>(), &GpuRow::name);
    if (row != rows.end()) measure(*row, request.at("seconds").get<double>());
    else std::cout << nlohmann::json{{"error", "no such row"}} << std::endl;
  }
}

/// Leaves those rows whose names have a match.
void select(GpuRows& rows, const std::string& only) {
  std::regex pattern(only);
  std::erase_if(rows, [&](const GpuRow& row) { return !std::regex_search(row.name, pattern); });
}

std::string check_pattern(const std::string& text) {
  try {
    (void)std::regex(text);
  } catch (const std::regex_error&) {
    return "'" + text + "' is no regular expression";
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  Settings settings;
  CLI::App app{
      "Measures Troupe on the first GPU: a line of JSON for each row. Exits with 77 "
      "where there is no GPU."};
  app.add_option("--only", settings.only, "The rows whose names have a match of that expression")
      ->type_name("REGEX")
      ->check(check_pattern);
  app.add_option("--seconds", settings.seconds, "How long a row is measured")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 60.0));
  app.add_flag("--list", settings.list, "Print the names of the rows and measure nothing");
  app.add_flag("--serve", settings.serve, "Measure what lines of JSON on the input ask for");
  CLI11_PARSE(app, argc, argv);

  auto rows = all_rows();
  select(rows, settings.only);
  if (settings.list) {
    for (const auto& row : rows) std::cout << row.name << "\n";
    return 0;
  }
  if (auto status = troupe::check({.visible = {"GPU:0"}, .count = {}, .cpu = {}}); !status.ok()) {
    std::cerr << "skipped: " << status.message() << "\n";
    return skipped;
  }
  if (settings.serve) serve(rows);
  else
    for (const auto& row : rows) measure(row, settings.seconds);
}
