#pragma once

#include <optional>

#include "troupe/devices/cpu/random/philox.hpp"

namespace troupe::cpu {

// One number of a distribution, of the bits from a position on. TensorFlow's algorithms: the same
// numbers, but for the last digits of logarithms and powers.

/// A gamma number of that shape parameter and scale 1, after Marsaglia and Tsang.
double gamma_sample(double alpha, const Philox& start);

/// A Poisson number of that rate, at most `greatest`: after Knuth for rates below 10, else after
/// Hörmann. Nothing where such a number was not found, as for an infinite rate; not for NaN.
std::optional<double> poisson_sample(double rate, double greatest, const Philox& start);

}  // namespace troupe::cpu
