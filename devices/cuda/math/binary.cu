#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

constexpr BinaryEntry entries[] = {
    TROUPE_NUMBERS(launch_binary, Add),          TROUPE_NUMBERS(launch_binary, Sub),
    TROUPE_NUMBERS(launch_binary, Mul),          TROUPE_NUMBERS(launch_binary, Maximum),
    TROUPE_NUMBERS(launch_binary, Minimum),      TROUPE_NUMBERS(launch_binary, SquaredDifference),
    TROUPE_FLOATING(launch_binary, Atan2),       TROUPE_FLOATING(launch_binary, Div),
    TROUPE_FLOATING(launch_binary, DivNoNan),    TROUPE_FLOATING(launch_binary, MulNoNan),
    TROUPE_FLOATING(launch_binary, Pow),         TROUPE_FLOATING(launch_binary, Xdivy),
    TROUPE_FLOATING(launch_binary, Xlogy),       TROUPE_FLOATING(launch_binary, FloorDiv),
    TROUPE_FLOATING(launch_binary, FloorMod),    TROUPE_FLOATING(launch_binary, TruncateDiv),
    TROUPE_FLOATING(launch_binary, TruncateMod),
};

}  // namespace

std::span<const BinaryEntry> binary_entries() { return entries; }

}  // namespace troupe::cuda
