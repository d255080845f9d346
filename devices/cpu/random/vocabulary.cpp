#include <cstdlib>
#include <string>

#include "troupe/devices/cpu/random/class_sampler.hpp"
#include "troupe/graph/support/file.hpp"
#include "troupe/graph/support/text.hpp"

namespace troupe::cpu {

Result<std::vector<float>> Unigrams::read(const std::string& file) {
  auto text = read_file(file);
  if (!text) return text.status();
  std::vector<float> weights;
  for (auto line : split(*text, '\n')) {
    if (line.empty()) continue;
    std::string column(split(line, ',').back());
    char* end = nullptr;
    weights.push_back(std::strtof(column.c_str(), &end));
    if (column.empty() || end != column.c_str() + column.size())
      return invalid_argument(
          "the last column of a line of " + quote(file) + " is no number: " + quote(line));
  }
  return weights;
}

}  // namespace troupe::cpu
