#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "troupe/devices/kernel.hpp"
#include "troupe/graph/types/dtype.hpp"

namespace troupe::cpu {

/// Copies the `count` slices of `size` elements at those positions.
using GatherSlices =
    void (*)(void* to, const void* from, const int64_t* positions, int64_t count, int64_t size);
GatherSlices find_gather(DType dtype);

/// What an update does to the element at its place.
enum class Update : uint8_t { replace, add, subtract };

/// Updates the slices of `size` elements at those positions, one after the other: elements
/// [first, last) of each.
using UpdateSlices = void (*)(
    void* to, const void* updates, std::span<const int64_t> positions, int64_t size, int64_t first,
    int64_t last);

/// Null if there is no such update for the dtype. The sum of bools is whether one is true, that of
/// strings their concatenation.
UpdateSlices find_update(Update update, DType dtype);

/// Sets output 0 to sums, made as floats for 16-bit floats; `add_all` gets zeros to add to.
Status set_sums(
    Launch& launch, DType dtype, const Shape& shape,
    const std::function<Status(void* sums)>& add_all);

}  // namespace troupe::cpu
