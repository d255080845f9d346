#pragma once

#include <capnp/blob.h>
#include <kj/exception.h>

#include <cstdint>
#include <string>

#include "troupe/graph/types/dtype.hpp"
#include "troupe/graph/types/status.hpp"
#include "troupe/graph/types/tensor.hpp"

/// Used by the conversions of tensors and of other values.
namespace troupe {

/// Returns what `read` returns; InvalidArgument if the message that it reads is malformed.
template <class Read>
auto checked(Read read) -> decltype(read()) {
  try {
    return read();
  } catch (const kj::Exception& error) {
    return invalid_argument("a malformed message: " + std::string(error.getDescription().cStr()));
  }
}

inline capnp::Data::Reader data_of(const std::string& bytes) {
  return {reinterpret_cast<const capnp::byte*>(bytes.data()), bytes.size()};
}

/// Sets the elements from byte `begin` on. The bytes must fit; the dtype is not string.
void set_elements(Tensor& tensor, uint64_t begin, capnp::Data::Reader bytes);

/// InvalidArgument where no dtype has that number.
Result<DType> to_dtype(uint16_t number);

}  // namespace troupe
