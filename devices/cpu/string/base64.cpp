#include <array>

#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

/// That of URLs and file names (RFC 4648, section 5).
constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::array<int8_t, 256> digit_values = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (size_t i = 0; i < digits.size(); ++i)
    values[static_cast<unsigned char>(digits[i])] = static_cast<int8_t>(i);
  return values;
}();

std::string to_base64(std::string_view bytes, bool pad) {
  const auto groups = bytes.size() / 3, rest = bytes.size() % 3;
  std::string text(4 * groups + (rest == 0 ? 0 : pad ? 4 : rest + 1), '=');
  auto* to = text.data();
  auto put = [&](size_t first, size_t count) {
    uint32_t group = 0;
    for (size_t i = 0; i < 3; ++i)
      group = group << 8 | (i < count ? static_cast<unsigned char>(bytes[first + i]) : 0);
    for (size_t i = 0; i <= count; ++i) *to++ = digits[group >> (18 - 6 * i) & 63];
  };
  for (size_t i = 0; i < groups; ++i) put(3 * i, 3);
  if (rest > 0) put(3 * groups, rest);
  return text;
}

/// Padding is optional; bits of the last digit that make no byte are ignored.
Status from_base64(std::string_view text, std::string& bytes) {
  auto given = text;
  if (text.size() % 4 == 0)
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1)
    return invalid_argument(
        shown(given) + " is not in base64: no text has " + std::to_string(text.size()) + " digits");
  bytes.resize(text.size() * 6 / 8);
  auto* to = bytes.data();
  uint32_t bits = 0;
  int count = 0;
  for (auto c : text) {
    auto value = digit_values[static_cast<unsigned char>(c)];
    if (value < 0)
      return invalid_argument(
          shown(given) + " is not in base64 for URLs: it contains " + shown({&c, 1}));
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    *to++ = static_cast<char>(bits >> count & 0xff);
  }
  return {};
}

Result<Kernel> make_encode_base64(const Node& node) {
  return string_kernel([pad = node.attr<bool>("pad")](Launch& launch) {
    return map_strings<std::string>(launch, [=](const std::string& in, std::string& out) {
      out = to_base64(in, pad);
      return Status();
    });
  });
}

Status decode_base64(Launch& launch) { return map_strings<std::string>(launch, from_base64); }

}  // namespace

void add_base64_kernels(KernelCatalog& catalog) {
  catalog.add("EncodeBase64", make_encode_base64);
  add_string_kernel(catalog, "DecodeBase64", decode_base64);
}

}  // namespace troupe::cpu
