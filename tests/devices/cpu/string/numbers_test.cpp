#include <cstdio>

#include "troupe/tests/devices/cpu/run_op.hpp"

namespace troupe::testing {

BOOST_AUTO_TEST_SUITE(number_strings)

BOOST_AUTO_TEST_CASE(floats_are_written_as_by_printf) {
  for (int precision : {-1, 0, 3, 20, 63, 70})
    for (double value : {0.0, -0.0, 0.5, 1.5, 2.5, -3.0000005, 1e-9, 123456789.125, 1e300, inf}) {
      const auto digits = precision < 0 ? 6 : precision;
      std::string expected(1000, ' ');
      const auto size = std::snprintf(expected.data(), 1000, "%.*f", digits, value);
      expected.resize(static_cast<size_t>(size));
      const auto text = *run_op("AsString", {Tensor::scalar(value)}, {{"precision", precision}});
      BOOST_TEST(text[0].value<std::string>() == expected);
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::testing
