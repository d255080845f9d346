#include "troupe/devices/cuda/math/elementwise.cuh"
#include "troupe/devices/cuda/math/functions.hpp"

namespace troupe::cuda {
namespace {

struct LogicalAnd {
  TROUPE_BOTH bool operator()(bool x, bool y) const { return x && y; }
};
struct LogicalOr {
  TROUPE_BOTH bool operator()(bool x, bool y) const { return x || y; }
};

constexpr BinaryEntry entries[] = {
    TROUPE_TESTS(launch_binary, Equal),
    TROUPE_TESTS(launch_binary, NotEqual),
    TROUPE_TESTS(launch_binary, Less),
    TROUPE_TESTS(launch_binary, LessEqual),
    TROUPE_TESTS(launch_binary, Greater),
    TROUPE_TESTS(launch_binary, GreaterEqual),
    {"Equal", Element::boolean, launch_binary<Equal, bool, bool>},
    {"Equal", Element::uint8, launch_binary<Equal, uint8_t, bool>},
    {"NotEqual", Element::boolean, launch_binary<NotEqual, bool, bool>},
    {"NotEqual", Element::uint8, launch_binary<NotEqual, uint8_t, bool>},
    {"LogicalAnd", Element::boolean, launch_binary<LogicalAnd, bool, bool>},
    {"LogicalOr", Element::boolean, launch_binary<LogicalOr, bool, bool>},
};

}  // namespace

std::span<const BinaryEntry> comparison_entries() { return entries; }

}  // namespace troupe::cuda
