#include "troupe/graph/build/builder.hpp"

namespace troupe {
namespace {

/// Applies f to the builder of the first operand that has one; without any, the result is invalid.
template <class F>
Value with_builder(const Value& x, const Value& y, F f) {
  if (x.is_valid()) return f(x.builder());
  if (y.is_valid()) return f(y.builder());
  return {};
}

}  // namespace

Value operator+(const Value& x, const Value& y) {
  return with_builder(x, y, [&](const Builder& b) { return b.add(x, y); });
}
Value operator-(const Value& x, const Value& y) {
  return with_builder(x, y, [&](const Builder& b) { return b.sub(x, y); });
}
Value operator*(const Value& x, const Value& y) {
  return with_builder(x, y, [&](const Builder& b) { return b.mul(x, y); });
}
Value operator/(const Value& x, const Value& y) {
  return with_builder(x, y, [&](const Builder& b) { return b.div(x, y); });
}
Value operator-(const Value& x) {
  return with_builder(x, x, [&](const Builder& b) { return b.neg(x); });
}
Value operator+(const Value& x, double y) {
  return with_builder(x, x, [&](const Builder& b) { return b.add(x, b.like(x, y)); });
}
Value operator-(const Value& x, double y) {
  return with_builder(x, x, [&](const Builder& b) { return b.sub(x, b.like(x, y)); });
}
Value operator*(const Value& x, double y) {
  return with_builder(x, x, [&](const Builder& b) { return b.mul(x, b.like(x, y)); });
}
Value operator/(const Value& x, double y) {
  return with_builder(x, x, [&](const Builder& b) { return b.div(x, b.like(x, y)); });
}
Value operator+(double x, const Value& y) { return y + x; }
Value operator*(double x, const Value& y) { return y * x; }
Value operator-(double x, const Value& y) {
  return with_builder(y, y, [&](const Builder& b) { return b.sub(b.like(y, x), y); });
}
Value operator/(double x, const Value& y) {
  return with_builder(y, y, [&](const Builder& b) { return b.div(b.like(y, x), y); });
}

}  // namespace troupe
