#include "troupe/devices/cpu/indexing/slices.hpp"

#include <cstring>
#include <string>

#include "troupe/devices/cpu/array/copying.hpp"
#include "troupe/devices/cpu/math/elementwise.hpp"

namespace troupe::cpu {
namespace {

struct ReplaceElement {
  template <class T>
  static void apply(T& element, const T& update) {
    element = update;
  }
};
struct AddToElement {
  template <class T>
  static void apply(T& element, const T& update) {
    if constexpr (std::is_same_v<T, bool>) element = element || update;
    else if constexpr (std::is_same_v<T, std::string>) element += update;
    else element = static_cast<T>(wrap(promote(element)) + wrap(promote(update)));
  }
};
struct SubtractFromElement {
  template <class T>
  static void apply(T& element, const T& update) {
    element = static_cast<T>(wrap(promote(element)) - wrap(promote(update)));
  }
};

template <class Change, class T>
void update_slices(
    void* to, const void* updates, std::span<const int64_t> positions, int64_t size, int64_t first,
    int64_t last) {
  const auto* update = static_cast<const T*>(updates);
  for (auto position : positions) {
    auto* slice = static_cast<T*>(to) + position * size;
    for (auto i = first; i < last; ++i) Change::apply(slice[i], update[i]);
    update += size;
  }
}

template <class C>
void gather_slices(
    void* to, const void* from, const int64_t* positions, int64_t count, int64_t size) {
  if (size == 1) {
    parallel_ranges(count, 1, [=](int64_t begin, int64_t end) {
      for (auto i = begin; i < end; ++i)
        static_cast<C*>(to)[i] = static_cast<const C*>(from)[positions[i]];
    });
    return;
  }
  parallel_pieces(count, size, [=](int64_t i, int64_t first, int64_t last) {
    copy_row(
        static_cast<C*>(to) + i * size + first, 1,
        static_cast<const C*>(from) + positions[i] * size + first, 1, last - first);
  });
}

template <class Change, class TypeList>
UpdateSlices choose_update(TypeList types, DType dtype) {
  return choose(types, dtype, [](auto zero) { return update_slices<Change, decltype(zero)>; });
}

}  // namespace

GatherSlices find_gather(DType dtype) {
  return choose_cell(dtype, [](auto cell) { return gather_slices<decltype(cell)>; });
}

UpdateSlices find_update(Update update, DType dtype) {
  if (update == Update::subtract) return choose_update<SubtractFromElement>(Numeric{}, dtype);
  if (update == Update::add)
    return choose_update<AddToElement>(AllPlain{} + Types<std::string>{}, dtype);
  return choose_cell(
      dtype, [](auto cell) { return update_slices<ReplaceElement, decltype(cell)>; });
}

Status set_sums(
    Launch& launch, DType dtype, const Shape& shape,
    const std::function<Status(void* sums)>& add_all) {
  auto narrowing = choose(Types<float16, bfloat16>{}, dtype, [](auto zero) -> UnaryLoop {
    return [](void* out, const void* in, int64_t count) {
      narrow(static_cast<decltype(zero)*>(out), static_cast<const float*>(in), count);
    };
  });
  auto sums = launch.allocate(narrowing ? DType::float32 : dtype, shape);
  if (!sums) return sums.status();
  auto* elements = sums->mutable_raw();
  parallel_ranges(static_cast<int64_t>(sums->bytes()), 1, [&](int64_t begin, int64_t end) {
    if (begin < end)
      std::memset(static_cast<char*>(elements) + begin, 0, static_cast<size_t>(end - begin));
  });
  if (auto status = add_all(elements); !status.ok()) return status;
  if (!narrowing) {
    launch.set(0, *std::move(sums));
    return {};
  }
  auto out = launch.allocate(dtype, shape);
  if (!out) return out.status();
  narrowing(out->mutable_raw(), sums->raw(), sums->elements());
  launch.set(0, *std::move(out));
  return {};
}

}  // namespace troupe::cpu
