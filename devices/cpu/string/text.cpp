#include "troupe/devices/cpu/string/text.hpp"

#include <algorithm>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/string/strings.hpp"

namespace troupe::cpu {
namespace {

Status strip_strings(Launch& launch) {
  return map_strings<std::string>(launch, [](const std::string& in, std::string& out) {
    out = strip(in);
    return Status();
  });
}

/// With a count of bytes, or of those that begin a character.
Status string_lengths(Launch& launch, bool in_characters) {
  return map_strings<int32_t>(launch, [=](const std::string& in, int32_t& out) {
    auto length =
        in_characters ? in.size() - std::ranges::count_if(in, is_continuation) : in.size();
    if (length > std::numeric_limits<int32_t>::max())
      return invalid_argument(
          "the length " + std::to_string(length) + " does not fit in an int32 result");
    out = static_cast<int32_t>(length);
    return Status();
  });
}

Result<Kernel> make_string_length(const Node& node) {
  auto in_characters = node.attr<std::string>("unit") == "UTF8_CHAR";
  return string_kernel([=](Launch& launch) { return string_lengths(launch, in_characters); });
}

}  // namespace

void add_text_kernels(KernelCatalog& catalog) {
  add_string_kernel(catalog, "StringStrip", strip_strings);
  catalog.add("StringLength", make_string_length);
  add_join_kernels(catalog);
  add_case_kernels(catalog);
  add_piece_kernels(catalog);
  add_number_kernels(catalog);
  add_hash_kernels(catalog);
  add_pattern_kernels(catalog);
  add_base64_kernels(catalog);
}

}  // namespace troupe::cpu
