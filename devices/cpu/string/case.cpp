#include <locale.h>
#include <wctype.h>

#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

constexpr char32_t replacement_character = 0xfffd;

/// Takes the first character from text, which is not empty. What is no UTF-8 is the replacement
/// character, once for each longest part that could begin a character.
char32_t take_character(std::string_view& text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  auto first = byte(0);
  size_t length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (length == 0 || first > 0xf4) {
    text.remove_prefix(1);
    return replacement_character;
  }
  // The second byte excludes what is too short, a surrogate or beyond the last character.
  unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
  unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
  char32_t character = length == 1 ? first : first & (0x7f >> length);
  size_t taken = 1;
  for (; taken < length; ++taken) {
    if (taken == text.size() || byte(taken) < least || byte(taken) > most) break;
    character = character << 6 | (byte(taken) & 0x3f);
    least = 0x80;
    most = 0xbf;
  }
  text.remove_prefix(taken);
  return taken == length ? character : replacement_character;
}

void append_character(std::string& text, char32_t c) {
  auto continuation = [&](int shift) { text += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) {
    text += static_cast<char>(c);
  } else if (c < 0x800) {
    text += static_cast<char>(0xc0 | c >> 6);
    continuation(0);
  } else if (c < 0x10000) {
    text += static_cast<char>(0xe0 | c >> 12);
    continuation(6);
    continuation(0);
  } else {
    text += static_cast<char>(0xf0 | c >> 18);
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

char change_ascii(char c, bool to_upper) {
  if (to_upper) return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

Status change_ascii_case(Launch& launch, bool to_upper) {
  return map_strings<std::string>(launch, [=](const std::string& in, std::string& out) {
    out = in;
    for (auto& c : out) c = change_ascii(c, to_upper);
    return Status();
  });
}

Status change_unicode_case(Launch& launch, bool to_upper, locale_t locale) {
  return map_strings<std::string>(launch, [=](const std::string& in, std::string& out) {
    out.reserve(in.size());
    for (std::string_view rest = in; !rest.empty();) {
      auto character = static_cast<wint_t>(take_character(rest));
      auto changed = to_upper ? towupper_l(character, locale) : towlower_l(character, locale);
      append_character(out, static_cast<char32_t>(changed));
    }
    return Status();
  });
}

Result<Kernel> make_case(const Node& node, bool to_upper) {
  if (node.attr<std::string>("encoding").empty())
    return string_kernel([=](Launch& launch) { return change_ascii_case(launch, to_upper); });
  static const auto unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (!unicode) return unimplemented("this machine has no locale C.UTF-8");
  return string_kernel(
      [=](Launch& launch) { return change_unicode_case(launch, to_upper, unicode); });
}

}  // namespace

void add_case_kernels(KernelCatalog& catalog) {
  catalog.add("StringLower", [](const Node& node) { return make_case(node, false); });
  catalog.add("StringUpper", [](const Node& node) { return make_case(node, true); });
}

}  // namespace troupe::cpu
