#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

namespace troupe {

struct ResourceHandle;
class VariantValue;

using float16 = Eigen::half;
using bfloat16 = Eigen::bfloat16;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
/// The element of a variant tensor; null until it is set. Copies share the value.
using Variant = std::shared_ptr<const VariantValue>;

/// The type of a tensor's elements. The numbers are those of TensorFlow's DataType.
enum class DType : uint8_t {
  invalid = 0,
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  complex64 = 8,
  int64 = 9,
  boolean = 10,
  bfloat16 = 14,
  uint16 = 17,
  complex128 = 18,
  float16 = 19,
  resource = 20,  // a handle of a resource in a container; never leaves its device
  variant = 21,   // a value of a C++ class (`variant.hpp`); never leaves its process
  uint32 = 22,
  uint64 = 23,
};

using DTypes = std::vector<DType>;

/// "float32", "bool": the names that NumPy and tf.DType.name use.
const char* to_string(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

/// True for the numbers that the enumeration names, except `invalid`: validates what a peer sent.
bool is_valid(DType dtype);

/// Bytes of one element in memory.
size_t size_of(DType dtype);

/// True where elements are plain bytes, which may be copied and sent as they are.
bool is_plain(DType dtype);

/// True where elements mean nothing outside of their process: handles and variants. Clients cannot
/// feed or fetch them, messages cannot hold them, and kernels that copy elements do not take them.
bool is_opaque(DType dtype);

/// The groups that op definitions allow for their type attributes.
const DTypes& floating();        // float16, bfloat16, float32, float64
const DTypes& integral();        // int8 to int64, uint8 to uint64
const DTypes& complex();         // complex64, complex128
const DTypes& indexing();        // int32, int64: sizes, axes, positions
const DTypes& numeric();         // all three of the above
const DTypes& differentiable();  // floating and complex
const DTypes& real();            // floating and integral
const DTypes& all_plain();       // numeric and bool
const DTypes& all_dtypes();      // every dtype of a user's tensor: all_plain and string

/// The DType of a C++ element type.
template <class T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::float32;
  else if constexpr (std::is_same_v<T, double>) return DType::float64;
  else if constexpr (std::is_same_v<T, float16>) return DType::float16;
  else if constexpr (std::is_same_v<T, bfloat16>) return DType::bfloat16;
  else if constexpr (std::is_same_v<T, int8_t>) return DType::int8;
  else if constexpr (std::is_same_v<T, int16_t>) return DType::int16;
  else if constexpr (std::is_same_v<T, int32_t>) return DType::int32;
  else if constexpr (std::is_same_v<T, int64_t>) return DType::int64;
  else if constexpr (std::is_same_v<T, uint8_t>) return DType::uint8;
  else if constexpr (std::is_same_v<T, uint16_t>) return DType::uint16;
  else if constexpr (std::is_same_v<T, uint32_t>) return DType::uint32;
  else if constexpr (std::is_same_v<T, uint64_t>) return DType::uint64;
  else if constexpr (std::is_same_v<T, bool>) return DType::boolean;
  else if constexpr (std::is_same_v<T, complex64>) return DType::complex64;
  else if constexpr (std::is_same_v<T, complex128>) return DType::complex128;
  else if constexpr (std::is_same_v<T, std::string>) return DType::string;
  else if constexpr (std::is_same_v<T, ResourceHandle>) return DType::resource;
  else if constexpr (std::is_same_v<T, Variant>) return DType::variant;
  else return DType::invalid;
}

/// Calls f with a value-initialized element of the C++ type of a plain dtype, and returns what f
/// returns: `visit(dtype, [](auto zero) { using T = decltype(zero); ... })`.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::float64: return f(double{});
    case DType::float16: return f(float16{});
    case DType::bfloat16: return f(bfloat16{});
    case DType::int8: return f(int8_t{});
    case DType::int16: return f(int16_t{});
    case DType::int32: return f(int32_t{});
    case DType::int64: return f(int64_t{});
    case DType::uint8: return f(uint8_t{});
    case DType::uint16: return f(uint16_t{});
    case DType::uint32: return f(uint32_t{});
    case DType::uint64: return f(uint64_t{});
    case DType::boolean: return f(bool{});
    case DType::complex64: return f(complex64{});
    case DType::complex128: return f(complex128{});
    default: return f(float{});
  }
}

}  // namespace troupe
