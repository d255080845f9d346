#pragma once

#include <capnp/blob.h>
#include <kj/exception.h>

#include <cstdint>
#include <string>

#include "troupe/graph/dtype.hpp"
#include "troupe/graph/status.hpp"
#include "troupe/graph/tensor.hpp"

/// What the conversions of tensors and of all other values share.
namespace troupe {

/// What `read` returns; where the message that it reads is malformed, InvalidArgument.
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

/// Sets the elements that begin at that byte; the tensor is as large, and not of strings.
void set_elements(Tensor& tensor, uint64_t begin, capnp::Data::Reader bytes);

/// InvalidArgument where no dtype has that number.
Result<DType> to_dtype(uint16_t number);

}  // namespace troupe
