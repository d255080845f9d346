#include <algorithm>
#include <bit>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/dispatch.hpp"
#include "troupe/devices/cpu/string/strings.hpp"
#include "troupe/graph/op.hpp"

namespace troupe::cpu {
namespace {

/// Few long pads could fill any memory: strings are not counted by the device's allocator.
constexpr int64_t ngram_bytes_max = int64_t{1} << 30;

struct NGramForm {
  std::string separator, left_pad, right_pad;
  std::vector<int64_t> widths;
  int64_t pads;
  bool keeps_short;

  explicit NGramForm(const Node& node)
      : separator(node.attr<std::string>("separator")),
        left_pad(node.attr<std::string>("left_pad")),
        right_pad(node.attr<std::string>("right_pad")),
        widths(node.attr<std::vector<int64_t>>("ngram_widths")),
        pads(node.attr<int64_t>("pad_width")),
        keeps_short(node.attr<bool>("preserve_short_sequences")) {}

  int64_t pads_at_end(int64_t width) const {
    return pads < 0 ? width - 1 : std::min(pads, width - 1);
  }
  /// How many runs of that width a row of `length` strings has.
  int64_t count(int64_t length, int64_t width) const {
    auto count = __int128{length} + 2 * __int128{pads_at_end(width)} - width + 1;
    return static_cast<int64_t>(std::clamp<__int128>(count, 0, Shape::max_elements));
  }

  /// Run `index`, where the pads before the row have negative numbers.
  std::string run(std::span<const std::string> row, int64_t index, int64_t width) const {
    std::string text;
    auto begin = index - pads_at_end(width);
    for (auto i = begin; i < begin + width; ++i) {
      if (i > begin) text += separator;
      if (i < 0) text += left_pad;
      else text += i < std::ssize(row) ? row[static_cast<size_t>(i)] : right_pad;
    }
    return text;
  }
};

Status check_ngram_splits(const std::vector<int64_t>& splits, int64_t size) {
  int64_t before = 0;
  for (auto split : splits) {
    if (split < before || split > size)
      return invalid_argument(
          "a split must lie in [" + std::to_string(before) + ", " + std::to_string(size) +
          "], but is " + std::to_string(split));
    before = split;
  }
  return {};
}

/// What the runs of all rows have been made into, and where those of each row end.
struct NGrams {
  std::vector<std::string> runs;
  std::vector<int64_t> splits;
  int64_t bytes = 0;

  Status append(const NGramForm& form, std::span<const std::string> row) {
    auto before = runs.size();
    auto length = std::ssize(row);
    for (auto width : form.widths)
      if (auto status = append(form, row, form.count(length, width), width); !status.ok())
        return status;
    if (!form.keeps_short || length == 0 || runs.size() > before) return {};
    if (form.pads < 0)
      return invalid_argument(
          "'pad_width' must not be negative where 'ngram_widths' are empty and short sequences "
          "are preserved");
    return append(form, row, 1, length + 2 * form.pads);
  }

 private:
  Status append(
      const NGramForm& form, std::span<const std::string> row, int64_t count, int64_t width) {
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (count == 0) return {};
    auto longest = std::max<int64_t>(
        1, form.separator.size() + std::max(form.left_pad.size(), form.right_pad.size()));
    if (width > most || count > most || width > ngram_bytes_max / count / longest)
      return resource_exhausted(
          std::to_string(count) + " runs of " + std::to_string(width) + " strings are too many");
    for (int64_t i = 0; i < count; ++i) {
      runs.push_back(form.run(row, i, width));
      bytes += std::ssize(runs.back());
      if (bytes > ngram_bytes_max)
        return resource_exhausted(
            "runs of strings have more than " + std::to_string(ngram_bytes_max) + " bytes");
    }
    return {};
  }
};

template <class I>
Status compute_ngrams(Launch& launch, const NGramForm& form) {
  const auto &data = launch.input(0), &given = launch.input(1);
  for (int i : {0, 1})
    if (launch.input(i).shape().rank() != 1)
      return invalid_argument(
          "input " + std::to_string(i) + " must have rank 1, but has shape " +
          launch.input(i).shape().to_string());
  auto splits = *to_ints(given);
  if (auto status = check_ngram_splits(splits, data.elements()); !status.ok()) return status;
  NGrams all;
  auto out_splits = launch.allocate(given.dtype(), given.shape());
  if (!out_splits) return out_splits.status();
  auto* ends = out_splits->template mutable_data<I>();
  if (!splits.empty()) ends[0] = 0;
  for (size_t row = 0; row + 1 < splits.size(); ++row) {
    auto length = static_cast<size_t>(splits[row + 1] - splits[row]);
    auto strings = data.values<std::string>().subspan(static_cast<size_t>(splits[row]), length);
    if (auto status = all.append(form, strings); !status.ok()) return status;
    ends[row + 1] = static_cast<I>(all.runs.size());
  }
  auto out = launch.allocate(DType::string, {std::ssize(all.runs)});
  if (!out) return out.status();
  std::ranges::move(all.runs, out->template mutable_data<std::string>());
  launch.set(0, *std::move(out));
  launch.set(1, *std::move(out_splits));
  return {};
}

Status decode_padded_raw(Launch& launch, DType dtype, bool swap) {
  const auto& in = launch.input(0);
  if (!launch.input(1).shape().is_scalar())
    return invalid_argument(
        "'fixed_length' must be a scalar, but is " + launch.input(1).shape().to_string());
  int64_t length = launch.input(1).value<int32_t>();
  auto element = static_cast<int64_t>(size_of(dtype));
  if (length <= 0 || length % element != 0)
    return invalid_argument(
        "'fixed_length' must be a positive multiple of the size of an element, " +
        std::to_string(element) + ", but is " + std::to_string(length));
  std::vector<int64_t> sizes(in.shape().sizes().begin(), in.shape().sizes().end());
  sizes.push_back(length / element);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(dtype, *shape);
  if (!out) return out.status();
  auto* to = static_cast<char*>(out->mutable_raw());
  const auto* from = in.data<std::string>();
  parallel_ranges(in.elements(), length, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i) {
      auto* text = to + i * length;
      auto kept = std::min<int64_t>(std::ssize(from[i]), length);
      std::copy_n(from[i].data(), kept, text);
      std::fill(text + kept, text + length, '\0');
      for (auto* at = text; swap && at < text + length; at += element)
        std::reverse(at, at + element);
    }
  });
  launch.set(0, *std::move(out));
  return {};
}

Status check_joined_segments(const Launch& launch, std::span<const int64_t> ids, int64_t count) {
  const auto &inputs = launch.input(0).shape(), &shape = launch.input(1).shape();
  auto fits = shape.rank() > 0 && shape.rank() <= inputs.rank() &&
              Shape(inputs.sizes().first(static_cast<size_t>(shape.rank()))) == shape;
  if (!fits)
    return invalid_argument(
        "'segment_ids' of shape " + shape.to_string() + " do not fit strings of " +
        inputs.to_string());
  for (auto id : ids)
    if (id < 0 || id >= count)
      return invalid_argument(
          "segment id " + std::to_string(id) + " does not lie in [0, " + std::to_string(count) +
          ")");
  return {};
}

Status join_segments(Launch& launch, const std::string& separator) {
  const auto& in = launch.input(0);
  if (!launch.input(2).shape().is_scalar())
    return invalid_argument(
        "the number of segments must be a scalar, but is " + launch.input(2).shape().to_string());
  auto count = to_ints(launch.input(2))->front();
  if (count < 0)
    return invalid_argument("the number of segments " + std::to_string(count) + " is negative");
  auto ids = *to_ints(launch.input(1));
  if (auto status = check_joined_segments(launch, ids, count); !status.ok()) return status;
  auto rank = static_cast<size_t>(launch.input(1).shape().rank());
  std::vector<int64_t> sizes(in.shape().sizes().begin() + rank, in.shape().sizes().end());
  sizes.insert(sizes.begin(), count);
  auto shape = Shape::make(sizes);
  if (!shape) return shape.status();
  auto out = launch.allocate(DType::string, *shape);
  if (!out) return out.status();
  auto* to = out->mutable_data<std::string>();
  const auto* from = in.data<std::string>();
  auto size = count > 0 ? out->elements() / count : 0;
  std::vector<bool> has_any(static_cast<size_t>(out->elements()));
  for (size_t row = 0; row < ids.size(); ++row)
    for (int64_t i = 0; i < size; ++i) {
      auto at = ids[row] * size + i;
      if (has_any[at]) to[at] += separator;
      has_any[at] = true;
      to[at] += from[static_cast<int64_t>(row) * size + i];
    }
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace

void add_ngrams_kernels(KernelCatalog& catalog) {
  catalog.add("StringNGrams", [](const Node& node) {
    return dispatch(Indices{}, node.attr<DType>("Tsplits"), [form = NGramForm(node)](auto zero) {
      using I = decltype(zero);
      return string_kernel([form](Launch& launch) { return compute_ngrams<I>(launch, form); });
    });
  });
  catalog.add("DecodePaddedRaw", [](const Node& node) {
    constexpr bool is_little = std::endian::native == std::endian::little;
    auto swap = node.attr<bool>("little_endian") != is_little;
    return Kernel{.compute = [dtype = node.attr<DType>("out_type"), swap](Launch& launch) {
      return decode_padded_raw(launch, dtype, swap);
    }};
  });
  catalog.add("UnsortedSegmentJoin", [](const Node& node) {
    return string_kernel([separator = node.attr<std::string>("separator")](Launch& launch) {
      return join_segments(launch, separator);
    });
  });
}

}  // namespace troupe::cpu
