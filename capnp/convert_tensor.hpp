#pragma once

#include <capnp/blob.h>
#include <kj/exception.h>

#include <string>

#include "troupe/graph/dtype.hpp"
#include "troupe/graph/status.hpp"

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

/// InvalidArgument where no dtype has that number.
Result<DType> to_dtype(uint16_t number);

}  // namespace troupe
