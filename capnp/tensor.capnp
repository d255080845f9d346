@0xb36f83c3c77074dc;
# Values on the edges of a graph.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "status.capnp".Status;

using DType = UInt16;
# The type of a tensor's elements, by the numbers of TensorFlow's DataType: 1 float32, 2 float64,
# 3 int32, 4 uint8, 5 int16, 6 int8, 7 string, 8 complex64, 9 int64, 10 bool, 14 bfloat16,
# 17 uint16, 18 complex128, 19 float16, 22 uint32, 23 uint64.

struct Shape {
  # The possibly unknown sizes of a tensor's dimensions.

  unknownRank @0 :Bool;
  # True: the number of dimensions is unknown, and `sizes` is empty.

  sizes @1 :List(Int64);
  # In row-major order, at most 8; -1 for an unknown size. Empty for a scalar.
}

struct Tensor {
  # An n-dimensional array.

  dtype @0 :DType;

  sizes @1 :List(Int64);
  # One for each dimension, at least 0, at most 8; the product is the number of elements.

  chunks @2 :List(Data);
  # The elements of any dtype but string: their bytes, little-endian, in row-major order, split
  # anywhere into pieces of at most 256 MiB (a Data of Cap'n Proto has at most 512 MiB). A bool is
  # one byte, 0 or 1; a complex number its real part, then its imaginary part.

  strings @3 :List(Data);
  # The elements of dtype string.

  source @4 :TensorSource;
  # In place of `chunks`: a capability from which the elements are read piece by piece. Feeds of any
  # size may be sent so. A node sends a value so if the client has protocol version 3 and the tensor
  # does not fit into the first 32 MiB of the answer's values. Not for dtype string, nor in graphs.
}

interface TensorSource {
  # The elements of a tensor that is too large for a message, or would delay the other calls of the
  # connection. It keeps the tensor's memory until the last reference is dropped; a node drops the
  # source of a feed when it has read it.

  read @0 (offset :UInt64, bytes :UInt64) -> (status :Status, bytes :Data);
  # That many bytes from `offset` on, in the layout of `chunks`; at most 256 MiB at a time.
  # InvalidArgument: more than that, or beyond the end of the tensor.
  #
  # The source of a feed must be hosted by the client: one of the node's own is InvalidArgument. A
  # node reads each byte of a feed once, in pieces of 4 MiB, up to 4 at a time, before the step
  # begins; the step's timeout does not include that time. The step's answer is ResourceExhausted
  # where its feeds cannot be allocated, or the steps of one connection have more than 64 GiB that
  # are still to be read.
}
