#include "troupe/devices/cpu/string/strings.hpp"

#include <array>
#include <cstdio>

namespace troupe::cpu {

std::string shown(std::string_view text) {
  constexpr size_t most = 64;
  std::string result = "'";
  for (auto c : text.substr(0, most)) {
    std::array<char, 8> code;
    std::snprintf(code.data(), code.size(), "\\x%02x", static_cast<unsigned char>(c));
    if (c >= ' ' && c <= '~') result += c;
    else result += code.data();
  }
  return result + (text.size() > most ? "...'" : "'");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Kernel string_kernel(std::function<Status(Launch&)> compute) {
  constexpr int64_t element_ns = 50;
  return {.compute = std::move(compute), .cost_ns = [](const Launch& launch) {
            return launch.input_count() == 0 ? 0 : launch.input(0).elements() * element_ns;
          }};
}

void add_string_kernel(KernelCatalog& catalog, const char* op, KernelCatalog::Compute compute) {
  catalog.add(op, [compute = std::move(compute)](const Node&) -> Result<Kernel> {
    return string_kernel(compute);
  });
}

Result<std::string> scalar_string(const Launch& launch, int input, const char* what) {
  const auto& tensor = launch.input(input);
  if (!tensor.shape().is_scalar())
    return invalid_argument(
        std::string(what) + " must be a scalar, not of shape " + tensor.shape().to_string());
  return tensor.value<std::string>();
}

}  // namespace troupe::cpu
