#include <algorithm>

#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/loop_nest.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/devices/cpu/string/text.hpp"

namespace troupe::cpu {
namespace {

using Pieces = std::vector<std::string_view>;

/// At each byte that is one of `separators`; into bytes, where that is empty.
void split_at_any(
    std::string_view text, std::string_view separators, bool skip_empty, Pieces& pieces) {
  if (text.empty()) return;
  if (separators.empty()) {
    for (size_t i = 0; i < text.size(); ++i) pieces.push_back(text.substr(i, 1));
    return;
  }
  for (size_t begin = 0; begin <= text.size();) {
    auto end = std::min(text.find_first_of(separators, begin), text.size());
    if (end > begin || !skip_empty) pieces.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

/// At white space, at most `most` times where that is over 0; the last piece is then all the rest,
/// even if that is empty, as in TensorFlow.
void split_at_space(std::string_view text, int64_t most, Pieces& pieces) {
  auto skip = [&] {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  };
  int64_t count = 0;
  for (skip(); !text.empty();) {
    auto length = static_cast<size_t>(std::ranges::find_if(text, is_space) - text.begin());
    pieces.push_back(text.substr(0, length));
    text.remove_prefix(length);
    skip();
    if (++count == most) return pieces.push_back(text);
  }
}

void split_at_separator(
    std::string_view text, std::string_view separator, int64_t most, Pieces& pieces) {
  for (int64_t count = 0; count != most; ++count) {
    auto end = text.find(separator);
    if (end == std::string_view::npos) break;
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(end + separator.size());
  }
  pieces.push_back(text);
}

/// Sets the outputs to the pieces of all strings, as the positions and values of a sparse matrix:
/// `ends` says how many there are up to the end of each string.
Status set_pieces(Launch& launch, const Pieces& pieces, const std::vector<size_t>& ends) {
  auto count = static_cast<int64_t>(pieces.size());
  auto indices = launch.allocate(DType::int64, {count, 2});
  if (!indices) return indices.status();
  auto values = launch.allocate(DType::string, {count});
  if (!values) return values.status();
  auto shape = launch.allocate(DType::int64, {2});
  if (!shape) return shape.status();
  std::ranges::copy(pieces, values->mutable_data<std::string>());
  auto* index = indices->mutable_data<int64_t>();
  size_t begin = 0, longest = 0;
  for (size_t row = 0; row < ends.size(); ++row) {
    for (size_t i = begin; i < ends[row]; ++i) {
      *index++ = static_cast<int64_t>(row);
      *index++ = static_cast<int64_t>(i - begin);
    }
    longest = std::max(longest, ends[row] - begin);
    begin = ends[row];
  }
  shape->mutable_data<int64_t>()[0] = static_cast<int64_t>(ends.size());
  shape->mutable_data<int64_t>()[1] = static_cast<int64_t>(longest);
  launch.set(0, *std::move(indices));
  launch.set(1, *std::move(values));
  launch.set(2, *std::move(shape));
  return {};
}

/// split(text, separator, pieces) for each string of input 0, with the separator in input 1.
template <class F>
Status split_strings(Launch& launch, const F& split) {
  const auto& in = launch.input(0);
  if (in.shape().rank() != 1)
    return invalid_argument("input must have rank 1, but its shape is " + in.shape().to_string());
  auto separator = scalar_string(launch, 1, "the separator");
  if (!separator) return separator.status();
  Pieces pieces;
  std::vector<size_t> ends;
  for (const auto& text : in.values<std::string>()) {
    split(text, *separator, pieces);
    ends.push_back(pieces.size());
  }
  return set_pieces(launch, pieces, ends);
}

Result<Kernel> make_string_split(const Node& node) {
  return string_kernel([skip_empty = node.attr<bool>("skip_empty")](Launch& launch) {
    return split_strings(launch, [=](const auto& text, const auto& separators, Pieces& pieces) {
      split_at_any(text, separators, skip_empty, pieces);
    });
  });
}

Result<Kernel> make_string_split_v2(const Node& node) {
  return string_kernel([most = node.attr<int64_t>("maxsplit")](Launch& launch) {
    return split_strings(launch, [=](const auto& text, const auto& separator, Pieces& pieces) {
      if (most == 0) pieces.push_back(text);
      else if (separator.empty()) split_at_space(text, most, pieces);
      else split_at_separator(text, separator, std::max<int64_t>(most, -1), pieces);
    });
  });
}

/// The characters of a text: bytes, or those of UTF-8. Bytes that continue none are part of the
/// character before, or are the first.
class Characters {
 public:
  Characters(std::string_view text, bool are_bytes) : text_(text), are_bytes_(are_bytes) {}

  int64_t count() const {
    if (are_bytes_) return static_cast<int64_t>(text_.size());
    auto has_start = !text_.empty() && is_continuation(text_.front());
    return has_start + std::ranges::count_if(text_, [](char c) { return !is_continuation(c); });
  }
  /// The byte where the character begins that is that many after the one at `from`, or the end.
  size_t after(size_t from, int64_t characters) const {
    auto left = static_cast<int64_t>(text_.size() - from);
    if (are_bytes_) return from + static_cast<size_t>(std::min(characters, left));
    for (; characters > 0 && from < text_.size(); --characters)
      for (++from; from < text_.size() && is_continuation(text_[from]);) ++from;
    return from;
  }

 private:
  std::string_view text_;
  bool are_bytes_;
};

/// Fails unless the position, counted from the end where it is negative, is in the text or just
/// behind it. A negative length is that of all the rest.
Status take_substring(
    const std::string& in, int64_t position, int64_t length, bool are_bytes, std::string& out) {
  Characters characters(in, are_bytes);
  auto count = characters.count();
  if (position < -count || position > count)
    return invalid_argument(
        "pos " + std::to_string(position) + " is out of range for the string " + shown(in) +
        " of length " + std::to_string(count));
  auto begin = characters.after(0, position < 0 ? position + count : position);
  auto end = length < 0 ? in.size() : characters.after(begin, length);
  out = in.substr(begin, end - begin);
  return {};
}

template <class T>
Status take_substrings(Launch& launch, bool are_bytes) {
  const auto& in = launch.input(0);
  const auto &positions = launch.input(1), &lengths = launch.input(2);
  if (positions.shape() != lengths.shape())
    return invalid_argument(
        "pos and len must have one shape, but have " + positions.shape().to_string() + " and " +
        lengths.shape().to_string());
  auto shape = broadcast(in.shape(), positions.shape());
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::string, *shape);
  if (!out) return out.status();
  const auto* from = in.data<std::string>();
  const auto *position = positions.data<T>(), *length = lengths.data<T>();
  auto* to = out->template mutable_data<std::string>();
  auto nest = broadcast_nest(in.shape(), positions.shape(), *shape);
  Status failure;
  nest.each_row(0, nest.rows(), [&](int64_t row, LoopNest<2>::Offsets offsets) {
    if (!failure.ok()) return;
    failure = each_element(nest.row_size(), [&](int64_t i) {
      auto text = offsets[0] + i * nest.row_strides()[0];
      auto at = offsets[1] + i * nest.row_strides()[1];
      return take_substring(
          from[text], position[at], length[at], are_bytes, to[row * nest.row_size() + i]);
    });
  });
  if (failure.ok()) launch.set(0, *std::move(out));
  return failure;
}

Result<Kernel> make_substr(const Node& node) {
  auto are_bytes = node.attr<std::string>("unit") == "BYTE";
  return dispatch(Indices{}, node.attr<DType>("T"), [=](auto zero) {
    return string_kernel(
        [=](Launch& launch) { return take_substrings<decltype(zero)>(launch, are_bytes); });
  });
}

}  // namespace

void add_piece_kernels(KernelCatalog& catalog) {
  catalog.add("StringSplit", make_string_split);
  catalog.add("StringSplitV2", make_string_split_v2);
  catalog.add("Substr", make_substr);
}

}  // namespace troupe::cpu
