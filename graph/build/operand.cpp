#include "troupe/graph/build/operand.hpp"

namespace troupe {

Value Operand::tensor(const Builder& builder, DType dtype) const {
  if (number_) {
    return builder.constant(visit(dtype, [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>)
        return Tensor::scalar<T>(T(static_cast<typename T::value_type>(*number_)));
      else return Tensor::scalar<T>(static_cast<T>(*number_));
    }));
  }
  auto own = tensor(builder);
  return !own.is_valid() || own.dtype() == dtype ? own : builder.cast(own, dtype);
}

Value Operand::tensor(const Builder& builder) const {
  if (number_) return tensor(builder, DType::float32);
  if (tensor_.is_valid() && &tensor_.builder().graph() == &builder.graph())
    return builder.value(tensor_.output());
  builder.fail(invalid_argument("an operand belongs to no node of this graph"));
  return {};
}

}  // namespace troupe
