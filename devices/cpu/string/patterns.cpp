#include <re2/re2.h>

#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

using Pattern = std::shared_ptr<const re2::RE2>;

Result<Pattern> compile_pattern(const std::string& text) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto pattern = std::make_shared<const re2::RE2>(text, options);
  if (!pattern->ok())
    return invalid_argument(
        "the pattern " + shown(text) + " is invalid: " + shown(pattern->error()));
  return Pattern(pattern);
}

/// The last pattern that a kernel had as an input: it rarely changes, and compiling one takes long.
class LastPattern {
 public:
  Result<Pattern> get(const std::string& text) {
    {
      std::lock_guard lock(mutex_);
      if (pattern_ && pattern_->pattern() == text) return pattern_;
    }
    auto compiled = compile_pattern(text);
    std::lock_guard lock(mutex_);
    if (compiled) pattern_ = *compiled;
    return compiled;
  }

 private:
  std::mutex mutex_;
  Pattern pattern_;
};

Status replace_matches(
    Launch& launch, const re2::RE2& pattern, const std::string& rewrite, bool all) {
  std::string error;
  if (!pattern.CheckRewriteString(rewrite, &error))
    return invalid_argument(
        "the rewrite " + shown(rewrite) + " does not fit the pattern " + shown(pattern.pattern()) +
        ": " + error);
  return map_strings<std::string>(launch, [&](const std::string& in, std::string& out) {
    out = in;
    if (all) re2::RE2::GlobalReplace(&out, pattern, rewrite);
    else re2::RE2::Replace(&out, pattern, rewrite);
    return Status();
  });
}

Status match_fully(Launch& launch, const re2::RE2& pattern) {
  return map_strings<bool>(launch, [&](const std::string& in, bool& out) {
    out = re2::RE2::FullMatch(in, pattern);
    return Status();
  });
}

Result<Kernel> make_static_replace(const Node& node) {
  auto pattern = compile_pattern(node.attr<std::string>("pattern"));
  if (!pattern) return pattern.status();
  return string_kernel([pattern = *pattern, rewrite = node.attr<std::string>("rewrite"),
                        all = node.attr<bool>("replace_global")](Launch& launch) {
    return replace_matches(launch, *pattern, rewrite, all);
  });
}

Result<Kernel> make_static_match(const Node& node) {
  auto pattern = compile_pattern(node.attr<std::string>("pattern"));
  if (!pattern) return pattern.status();
  return string_kernel(
      [pattern = *pattern](Launch& launch) { return match_fully(launch, *pattern); });
}

Result<Pattern> pattern_input(const Launch& launch, LastPattern& last) {
  auto text = scalar_string(launch, 1, "pattern");
  if (!text) return text.status();
  return last.get(*text);
}

Result<Kernel> make_replace(const Node& node) {
  return string_kernel([last = std::make_shared<LastPattern>(),
                        all = node.attr<bool>("replace_global")](Launch& launch) {
    auto pattern = pattern_input(launch, *last);
    if (!pattern) return pattern.status();
    auto rewrite = scalar_string(launch, 2, "rewrite");
    if (!rewrite) return rewrite.status();
    return replace_matches(launch, **pattern, *rewrite, all);
  });
}

Result<Kernel> make_match(const Node& node) {
  return string_kernel([last = std::make_shared<LastPattern>()](Launch& launch) {
    auto pattern = pattern_input(launch, *last);
    if (!pattern) return pattern.status();
    return match_fully(launch, **pattern);
  });
}

}  // namespace

void add_pattern_kernels(KernelCatalog& catalog) {
  catalog.add("StaticRegexReplace", make_static_replace);
  catalog.add("StaticRegexFullMatch", make_static_match);
  catalog.add("RegexReplace", make_replace);
  catalog.add("RegexFullMatch", make_match);
}

}  // namespace troupe::cpu
