#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <limits>
#include <utility>
#include <vector>

#include "troupe/devices/cpu/all_kernels.hpp"
#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"
#include "troupe/devices/cpu/parallel.hpp"
#include "troupe/devices/cpu/reduction/ranking_input.hpp"
#include "troupe/devices/cpu/vector/search.hpp"

namespace troupe::cpu {
namespace {

/// The greater the element, the less its key; that of NaN is the greatest. So the code that ranks
/// is compiled for two types of keys, not for each dtype.
template <class T>
using RankKey = std::conditional_t<sizeof(Promoted<T>) == 8, uint64_t, uint32_t>;

template <class T>
RankKey<T> rank_key(T element) {
  auto x = promote(element);
  using A = decltype(x);
  using Key = RankKey<T>;
  constexpr auto sign = Key{1} << (8 * sizeof(Key) - 1);
  if constexpr (std::is_unsigned_v<A>) return static_cast<Key>(~Key{x});
  else if constexpr (std::is_integral_v<A>) return ~(static_cast<Key>(x) ^ sign);
  else {
    // Without branches, for vector instructions. The sum of -0 and 0 is 0.
    const auto bits = std::bit_cast<Key>(x + A(0)),
               is_positive = (bits >> (8 * sizeof(Key) - 1)) - 1;
    return (bits ^ (is_positive & ~sign)) | (Key{0} - Key{x != x});
  }
}

/// An element of a row, which comes before those of greater keys, and at equal ones of greater
/// places.
struct WideRanked {
  uint64_t key;
  int64_t place;

  auto operator<=>(const WideRanked&) const = default;
};

/// The same of a short key and a place that is an int32, in the order of one integer.
struct ShortRanked {
  uint64_t bits;

  auto operator<=>(const ShortRanked&) const = default;
};

WideRanked ranked_of(uint64_t key, int64_t place) { return {key, place}; }
ShortRanked ranked_of(uint32_t key, int64_t place) {
  return {uint64_t{key} << 32 | static_cast<uint64_t>(place)};
}
uint64_t key_of(WideRanked ranked) { return ranked.key; }
uint32_t key_of(ShortRanked ranked) { return static_cast<uint32_t>(ranked.bits >> 32); }
int64_t place_of(WideRanked ranked) { return ranked.place; }
int64_t place_of(ShortRanked ranked) { return static_cast<uint32_t>(ranked.bits); }

using WideRow = std::vector<WideRanked>;
using ShortRow = std::vector<ShortRanked>;

void sort_ranked(WideRow& ranked, WideRow&, int64_t) { std::sort(ranked.begin(), ranked.end()); }

/// Many are sorted by one digit after the other, the lowest first: those of their places, which are
/// less than `length`, and those of their keys. `other` is memory to use.
void sort_ranked(ShortRow& ranked, ShortRow& other, int64_t length) {
  constexpr size_t few = 512;
  constexpr int bits = 11, digits = 1 << bits, key_begin = 32;
  if (ranked.size() <= few) return std::sort(ranked.begin(), ranked.end());
  other.resize(ranked.size());
  auto sort_by = [&](int shift) {
    std::array<size_t, digits> starts{};
    auto digit = [=](ShortRanked one) { return one.bits >> shift & (digits - 1); };
    for (auto one : ranked) ++starts[digit(one)];
    size_t start = 0;
    for (auto& at : starts) start += std::exchange(at, start);
    for (auto one : ranked) other[starts[digit(one)]++] = one;
    ranked.swap(other);
  };
  for (int shift = 0; shift < key_begin && (length - 1) >> shift > 0; shift += bits) sort_by(shift);
  for (int shift = key_begin; shift < 64; shift += bits) sort_by(shift);
}

/// Sets keys of so many elements.
template <class Key>
using SetKeys = void (*)(Key* keys, const void* elements, int64_t count);

template <class T>
void set_keys(RankKey<T>* keys, const void* elements, int64_t count) {
  for (int64_t i = 0; i < count; ++i) keys[i] = rank_key(static_cast<const T*>(elements)[i]);
}

/// How elements of a dtype get their keys: one of the two, and the other is null.
struct Ranking {
  SetKeys<uint32_t> short_keys = nullptr;
  SetKeys<uint64_t> wide_keys = nullptr;

  static Ranking of(DType dtype) {
    Ranking ranking;
    for_dtype(Real{}, dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (sizeof(RankKey<T>) == 8) ranking.wide_keys = set_keys<T>;
      else ranking.short_keys = set_keys<T>;
    });
    return ranking;
  }
  explicit operator bool() const { return short_keys || wide_keys; }

  /// Calls f with the one that is not null.
  template <class F>
  auto visit(const F& f) const {
    return short_keys ? f(short_keys) : f(wide_keys);
  }
};

/// Finds the first elements of rows in the order of their ranks.
template <class Key>
class RowRanker {
 public:
  using Ranked = decltype(ranked_of(Key(), 0));

  RowRanker(SetKeys<Key> set_keys, int64_t element_bytes)
      : set_keys_(set_keys), element_bytes_(element_bytes) {}

  /// The first `count` > 0 elements of the row, in any order.
  std::vector<Ranked>& find(const std::byte* row, int64_t length, int64_t count) {
    if (count == 1) return find_first(row, length);
    // Twice as many are kept as are needed, and then the worse half of them is dropped: each
    // element of the row is but compared with the worst that is still needed.
    const auto most = static_cast<size_t>(2 * count + block);
    kept_.clear();
    is_in_order_ = true;
    length_ = length;
    auto worst = std::numeric_limits<Key>::max();
    bool is_bounded = false;
    for (int64_t begin = 0; begin < length; begin += block) {
      const auto size = std::min(block, length - begin);
      set_keys_(keys_.data(), row + begin * element_bytes_, size);
      if (is_bounded && !has_less(size, worst)) continue;
      for (int64_t i = 0; i < size; ++i) {
        const auto key = keys_[static_cast<size_t>(i)];
        // One that equals the worst comes after it, by its place.
        if (key < worst || !is_bounded) kept_.push_back(ranked_of(key, begin + i));
      }
      if (kept_.size() + block <= most) continue;
      drop(count);
      worst = key_of(kept_.back());
      is_bounded = true;
    }
    drop(count);
    return kept_;
  }
  /// Sorts what find() returned.
  void sort() { sort_ranked(kept_, other_, is_in_order_ ? 1 : length_); }

 private:
  static constexpr int64_t block = 256;

  std::vector<Ranked>& find_first(const std::byte* row, int64_t length) {
    auto least = std::numeric_limits<Key>::max();
    int64_t place = 0;
    for (int64_t begin = 0; begin < length; begin += block) {
      const auto size = std::min(block, length - begin);
      set_keys_(keys_.data(), row + begin * element_bytes_, size);
      if (!has_less(size, least)) continue;
      const auto found = std::min_element(keys_.begin(), keys_.begin() + size);
      least = *found;
      place = begin + (found - keys_.begin());
    }
    kept_.assign(1, ranked_of(least, place));
    is_in_order_ = true;
    return kept_;
  }

  /// Whether one of so many keys is less: without branches, for vector instructions.
  bool has_less(int64_t size, Key than) const {
    unsigned found = 0;
    for (int64_t i = 0; i < size; ++i) found |= keys_[static_cast<size_t>(i)] < than;
    return found != 0;
  }

  /// All but the first `count`, of which the last one is then the worst.
  void drop(int64_t count) {
    if (kept_.size() <= static_cast<size_t>(count)) return;
    is_in_order_ = false;
    std::nth_element(kept_.begin(), kept_.begin() + count - 1, kept_.end());
    kept_.resize(static_cast<size_t>(count));
  }

  SetKeys<Key> set_keys_;
  int64_t element_bytes_, length_ = 0;
  bool is_in_order_ = true;  // of places
  std::array<Key, block> keys_;
  std::vector<Ranked> kept_, other_;
};

/// Copies the elements of a row at so many places.
using CopyPlaces = void (*)(void* to, const void* row, const int32_t* places, int64_t count);

template <class C>
void copy_places(void* to, const void* row, const int32_t* places, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    static_cast<C*>(to)[i] = static_cast<const C*>(row)[places[i]];
}

Status compute_top_k(
    Launch& launch, const Ranking& ranking, std::optional<int64_t> fixed, bool is_sorted) {
  auto rows = read_top_k(launch, fixed);
  if (!rows) return rows.status();
  const auto& x = launch.input(0);
  const auto& shape = rows->result;
  const auto k = rows->wanted;
  auto values = launch.allocate(x.dtype(), shape);
  if (!values) return values.status();
  auto indices = launch.allocate(DType::int32, shape);
  if (!indices) return indices.status();
  auto* places = indices->mutable_data<int32_t>();
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto* to = static_cast<std::byte*>(values->mutable_raw());
  auto element_bytes = static_cast<int64_t>(size_of(x.dtype())),
       row_bytes = rows->length * element_bytes;
  auto copy = choose_cell(x.dtype(), [](auto cell) { return &copy_places<decltype(cell)>; });
  auto count = k > 0 ? rows->count : 0;  // else they may be many, all of them empty
  auto fill_rows = [&]<class Key>(SetKeys<Key> set_keys, int64_t begin, int64_t end) {
    RowRanker ranker(set_keys, element_bytes);
    for (auto row = begin; row < end; ++row) {
      const auto& ranked = ranker.find(from + row * row_bytes, rows->length, k);
      if (is_sorted) ranker.sort();
      auto* of_row = places + row * k;
      for (int64_t i = 0; i < k; ++i)
        of_row[i] = static_cast<int32_t>(place_of(ranked[static_cast<size_t>(i)]));
      copy(to + row * k * element_bytes, from + row * row_bytes, of_row, k);
    }
  };
  parallel_ranges(count, 8 * rows->length, [&](int64_t begin, int64_t end) {
    ranking.visit([&](auto set_keys) { fill_rows(set_keys, begin, end); });
  });
  launch.set(0, *std::move(values));
  launch.set(1, *std::move(indices));
  return {};
}

Result<Kernel> make_top_k(const Node& node) {
  auto is_sorted = node.attr<bool>("sorted");
  auto fixed = node.op->name() == "TopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  auto dtype = node.attr<DType>("T");
  auto ranking = Ranking::of(dtype);
  if (!ranking) return no_kernel(dtype);
  return Kernel{
      .compute = [=](Launch& launch) { return compute_top_k(launch, ranking, fixed, is_sorted); }};
}

/// Whether fewer than k classes have a greater prediction than the target, and all finite ones.
template <class T>
bool is_in_top_k(
    vector::CountGreater count_greater, const float* row, int64_t classes, T target, int64_t k) {
  if (target < 0 || target >= classes) return false;
  // Most rows are decided by their first classes.
  constexpr int64_t block = 128;
  int64_t greater = 0;
  for (int64_t begin = 0; begin < classes; begin += block) {
    auto more = count_greater(row + begin, std::min(block, classes - begin), row[target]);
    greater += more;
    if (more < 0 || greater >= k) return false;
  }
  return greater < k;
}

template <class T>
Status compute_in_top_k(Launch& launch, std::optional<int64_t> fixed) {
  auto k = read_in_top_k(launch, fixed);
  if (!k) return k.status();
  const auto &predictions = launch.input(0), &targets = launch.input(1);
  auto out = launch.allocate(DType::boolean, targets.shape());
  if (!out) return out.status();
  auto classes = predictions.shape()[1];
  auto* result = out->template mutable_data<bool>();
  auto count_greater = vector::count_greater_loop();
  parallel_ranges(targets.elements(), classes, [&](int64_t begin, int64_t end) {
    for (auto i = begin; i < end; ++i)
      result[i] = is_in_top_k(
          count_greater, predictions.data<float>() + i * classes, classes, targets.data<T>()[i],
          *k);
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_in_top_k(const Node& node) {
  auto fixed = node.op->name() == "InTopK" ? std::optional(node.attr<int64_t>("k")) : std::nullopt;
  return dispatch(Types<int32_t, int64_t>{}, node.attr<DType>("T"), [=](auto zero) {
    using T = decltype(zero);
    return Kernel{.compute = [=](Launch& launch) { return compute_in_top_k<T>(launch, fixed); }};
  });
}

Status compute_nth_element(Launch& launch, const Ranking& ranking, bool reverse) {
  auto rows = read_nth_element(launch, reverse);
  if (!rows) return rows.status();
  const auto& x = launch.input(0);
  auto out = launch.allocate(x.dtype(), rows->result);
  if (!out) return out.status();
  const auto* from = static_cast<const std::byte*>(x.raw());
  auto element_bytes = static_cast<int64_t>(size_of(x.dtype()));
  auto row_bytes = rows->length * element_bytes;
  auto fill_rows = [&]<class Key>(SetKeys<Key> set_keys, int64_t begin, int64_t end) {
    RowRanker ranker(set_keys, element_bytes);
    for (auto row = begin; row < end; ++row) {
      const auto& ranked = ranker.find(from + row * row_bytes, rows->length, rows->wanted + 1);
      auto found = place_of(*std::max_element(ranked.begin(), ranked.end()));
      copy_elements(*out, row, x, row * rows->length + found, 1);
    }
  };
  parallel_ranges(rows->count, 8 * rows->length, [&](int64_t begin, int64_t end) {
    ranking.visit([&](auto set_keys) { fill_rows(set_keys, begin, end); });
  });
  launch.set(0, *std::move(out));
  return {};
}

Result<Kernel> make_nth_element(const Node& node) {
  auto dtype = node.attr<DType>("T");
  auto ranking = Ranking::of(dtype);
  if (!ranking) return no_kernel(dtype);
  return Kernel{.compute = [ranking, reverse = node.attr<bool>("reverse")](Launch& launch) {
    return compute_nth_element(launch, ranking, reverse);
  }};
}

}  // namespace

void add_ranking_kernels(KernelCatalog& catalog) {
  catalog.add("TopK", make_top_k);
  catalog.add("TopKV2", make_top_k);
  catalog.add("InTopK", make_in_top_k);
  catalog.add("InTopKV2", make_in_top_k);
  catalog.add("NthElement", make_nth_element);
}

}  // namespace troupe::cpu
