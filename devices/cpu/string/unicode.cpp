#include <unicode/uchar.h>
#include <unicode/ucnv.h>
#include <unicode/uscript.h>
#include <unicode/utf16.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/indexing/ragged.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cpu {
namespace {

constexpr UChar32 replaced = 0xfffd;

/// What the attributes of a node say.
struct TextForm {
  std::string input_encoding;
  std::string output_encoding;
  int64_t replacement;
  bool is_strict;
  bool leaves_out;
  bool replaces_controls;

  explicit TextForm(const Node& node)
      : replacement(node.attr<int64_t>("replacement_char")),
        is_strict(node.attr<std::string>("errors") == "strict"),
        leaves_out(node.attr<std::string>("errors") == "ignore"),
        replaces_controls(false) {}

  static TextForm of_input(const Node& node) {
    TextForm form(node);
    form.input_encoding = node.attr<std::string>("input_encoding");
    form.replaces_controls = node.attr<bool>("replace_control_characters");
    return form;
  }

  Status check() const {
    if (replacement >= 0 && replacement <= UCHAR_MAX_VALUE) return {};
    return invalid_argument(
        "'replacement_char' must be a character of Unicode, at most " +
        std::to_string(UCHAR_MAX_VALUE) + ", but is " + std::to_string(replacement));
  }
};

/// Notes that a part of the text is no character, which then becomes the replacement character.
void note_error(
    const void* context, UConverterToUnicodeArgs* args, const char* units, int32_t length,
    UConverterCallbackReason reason, UErrorCode* error) {
  if (reason <= UCNV_IRREGULAR) *static_cast<bool*>(const_cast<void*>(context)) = true;
  UCNV_TO_U_CALLBACK_SUBSTITUTE(nullptr, args, units, length, reason, error);
}

/// Reads texts in an encoding.
class TextReader {
 public:
  static Result<std::unique_ptr<TextReader>> open(const std::string& encoding) {
    auto reader = std::make_unique<TextReader>();
    auto error = U_ZERO_ERROR;
    // Without a name ICU would take the encoding of the process's locale.
    if (!encoding.empty()) reader->converter_.reset(ucnv_open(encoding.c_str(), &error));
    if (encoding.empty() || U_FAILURE(error))
      return invalid_argument("there is no encoding " + shown(encoding));
    ucnv_setToUCallBack(
        reader->converter_.get(), note_error, &reader->has_error_, nullptr, nullptr, &error);
    if (U_FAILURE(error)) return internal(std::string("ICU fails: ") + u_errorName(error));
    return reader;
  }

  /// Calls f(character, first byte, whether it is none of the text's) for each of them.
  template <class F>
  Status read(const std::string& text, const F& f) {
    ucnv_reset(converter_.get());
    const auto* at = text.data();
    const auto* end = at + text.size();
    while (at < end) {
      auto begin = at - text.data();
      has_error_ = false;
      auto error = U_ZERO_ERROR;
      auto character = ucnv_getNextUChar(converter_.get(), &at, end, &error);
      if (error == U_INDEX_OUTOFBOUNDS_ERROR) break;  // only a mark of the order of bytes was left
      if (U_FAILURE(error))
        return invalid_argument(std::string("a text cannot be read: ") + u_errorName(error));
      if (auto status = f(character, begin, has_error_); !status.ok()) return status;
    }
    return {};
  }

 private:
  struct Close {
    void operator()(UConverter* converter) const { ucnv_close(converter); }
  };

  std::unique_ptr<UConverter, Close> converter_;
  bool has_error_ = false;
};

Status wrong_text(const std::string& text) {
  return invalid_argument("a string is no text in its encoding: " + shown(text));
}

struct Decoded {
  std::vector<int32_t> characters;
  std::vector<int64_t> offsets;
  std::vector<int64_t> splits = {0};

  Status append(const TextForm& form, TextReader& reader, const std::string& text) {
    auto status = reader.read(text, [&](UChar32 c, int64_t offset, bool is_wrong) -> Status {
      if (is_wrong && form.is_strict) return wrong_text(text);
      if (is_wrong || (form.replaces_controls && c < ' ')) {
        if (form.leaves_out) return {};
        c = static_cast<UChar32>(form.replacement);
      }
      characters.push_back(c);
      offsets.push_back(offset);
      return {};
    });
    splits.push_back(std::ssize(characters));
    return status;
  }
};

template <class T, class From>
Status set_vector(Launch& launch, int index, const std::vector<From>& values) {
  auto out = launch.allocate(dtype_of<T>(), {std::ssize(values)});
  if (!out) return out.status();
  std::ranges::transform(
      values, out->template mutable_data<T>(), [](From value) { return static_cast<T>(value); });
  launch.set(index, *std::move(out));
  return {};
}

template <class I>
Status decode(Launch& launch, const TextForm& form, bool with_offsets) {
  if (auto status = form.check(); !status.ok()) return status;
  auto reader = TextReader::open(form.input_encoding);
  if (!reader) return reader.status();
  Decoded all;
  for (const auto& text : launch.input(0).values<std::string>())
    if (auto status = all.append(form, **reader, text); !status.ok()) return status;
  if (all.splits.back() > std::numeric_limits<I>::max())
    return invalid_argument("there are too many characters for splits of int32");
  if (auto status = set_vector<I>(launch, 0, all.splits); !status.ok()) return status;
  if (auto status = set_vector<int32_t>(launch, 1, all.characters); !status.ok()) return status;
  return with_offsets ? set_vector<int64_t>(launch, 2, all.offsets) : Status{};
}

/// Characters as UTF-16; a half of one that is alone becomes the replacement character in UTF-8.
class TextWriter {
 public:
  void clear() { units_.clear(); }
  void append(UChar32 c) {
    if (c >= 0x10000) units_ += static_cast<char16_t>(U16_LEAD(c));
    units_ += static_cast<char16_t>(c < 0x10000 ? c : U16_TRAIL(c));
  }

  std::string write(const std::string& encoding) const {
    std::string text;
    if (encoding == "UTF-16-BE") {
      for (auto unit : units_) append_bytes(text, unit, 2);
      return text;
    }
    size_t at = 0;
    while (at < units_.size()) {
      UChar32 c = 0;
      U16_NEXT(units_.data(), at, units_.size(), c);
      if (encoding == "UTF-32-BE") {
        append_bytes(text, static_cast<uint32_t>(c), 4);
        continue;
      }
      char bytes[U8_MAX_LENGTH];
      int count = 0;
      U8_APPEND_UNSAFE(bytes, count, U_IS_SURROGATE(c) ? replaced : c);
      text.append(bytes, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  static void append_bytes(std::string& text, uint32_t value, int count) {
    for (int shift = 8 * (count - 1); shift >= 0; shift -= 8)
      text += static_cast<char>(value >> shift & 0xff);
  }

  std::u16string units_;
};

Status transcode(Launch& launch, const TextForm& form) {
  if (auto status = form.check(); !status.ok()) return status;
  const auto& in = launch.input(0);
  auto out = launch.allocate(DType::string, in.shape());
  if (!out) return out.status();
  auto reader = TextReader::open(form.input_encoding);
  if (!reader) return reader.status();
  TextWriter writer;
  auto* to = out->mutable_data<std::string>();
  for (const auto& text : in.values<std::string>()) {
    writer.clear();
    auto status = (*reader)->read(text, [&](UChar32 c, int64_t, bool is_wrong) -> Status {
      if (is_wrong || (form.replaces_controls && c < ' ')) {
        if (form.is_strict) return wrong_text(text);
        if (form.leaves_out) return {};
        c = static_cast<UChar32>(form.replacement);
      }
      writer.append(c);
      return {};
    });
    if (!status.ok()) return status;
    *to++ = writer.write(form.output_encoding);
  }
  launch.set(0, *std::move(out));
  return {};
}

Status encode(Launch& launch, const TextForm& form) {
  if (auto status = form.check(); !status.ok()) return status;
  const auto &values = launch.input(0), &given = launch.input(1);
  if (values.shape().rank() != 1)
    return invalid_argument(
        "'input_values' must have rank 1, but have shape " + values.shape().to_string());
  if (auto status = check_row_splits(given, values.elements()); !status.ok()) return status;
  auto splits = *to_ints(given);
  if (splits[0] != 0)
    return invalid_argument("the first split must be 0, but is " + std::to_string(splits[0]));
  auto out = launch.allocate(DType::string, {std::ssize(splits) - 1});
  if (!out) return out.status();
  const auto* from = values.data<int32_t>();
  auto* to = out->mutable_data<std::string>();
  TextWriter writer;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    writer.clear();
    for (auto i = splits[row]; i < splits[row + 1]; ++i) {
      auto c = from[i];
      if (c < 0 || c > UCHAR_MAX_VALUE || U_IS_SURROGATE(c)) {
        if (form.is_strict)
          return invalid_argument(std::to_string(c) + " is no character of Unicode");
        if (form.leaves_out) continue;
        c = static_cast<UChar32>(form.replacement);
      }
      writer.append(c);
    }
    to[row] = writer.write(form.output_encoding);
  }
  launch.set(0, *std::move(out));
  return {};
}

Status find_scripts(Launch& launch) {
  const auto& in = launch.input(0);
  auto out = launch.allocate(DType::int32, in.shape());
  if (!out) return out.status();
  std::ranges::transform(
      in.values<int32_t>(), out->mutable_data<int32_t>(), [](int32_t character) -> int32_t {
        auto error = U_ZERO_ERROR;
        auto script = uscript_getScript(character, &error);
        return U_SUCCESS(error) ? script : -1;
      });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_decode(const Node& node, bool with_offsets) {
  auto form = TextForm::of_input(node);
  return dispatch(Indices{}, node.attr<DType>("Tsplits"), [=](auto zero) {
    using I = decltype(zero);
    return string_kernel([=](Launch& launch) { return decode<I>(launch, form, with_offsets); });
  });
}

}  // namespace

void add_unicode_kernels(KernelCatalog& catalog) {
  catalog.add("UnicodeDecode", [](const Node& node) { return make_decode(node, false); });
  catalog.add("UnicodeDecodeWithOffsets", [](const Node& node) { return make_decode(node, true); });
  catalog.add("UnicodeTranscode", [](const Node& node) {
    auto form = TextForm::of_input(node);
    form.output_encoding = node.attr<std::string>("output_encoding");
    return string_kernel([form](Launch& launch) { return transcode(launch, form); });
  });
  catalog.add("UnicodeEncode", [](const Node& node) {
    TextForm form(node);
    form.output_encoding = node.attr<std::string>("output_encoding");
    return string_kernel([form](Launch& launch) { return encode(launch, form); });
  });
  add_string_kernel(catalog, "UnicodeScript", find_scripts);
}

}  // namespace troupe::cpu
