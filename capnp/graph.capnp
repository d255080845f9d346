@0xf7eb7eced362665a;
# Graphs as they are sent: nodes refer to each other by name. An invalid graph is answered with
# InvalidArgument, or NotFound where a name does not exist; the status says at which node.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("troupe::rpc");

using import "tensor.capnp".DType;
using import "tensor.capnp".Shape;
using import "tensor.capnp".Tensor;

struct Graph {
  nodes @0 :List(Node);
  # In topological order: a node comes after its inputs.

  functions @1 :List(Function);
  # Those that attributes of the nodes and of each other name, in any order, each name once.
}

struct Function {
  # A function that attributes name. Functions may call each other at most 64 deep, and none may
  # call itself.

  name @0 :Text;

  arguments @1 :List(Argument);

  results @2 :List(Result);

  nodes @3 :List(Node);
  # As in a graph; their inputs may also name arguments. They refer to no node of the graph.

  struct Argument {
    name @0 :Text;
    type @1 :DType;

    shape @2 :Shape;
    # What is known of it in every call; of a variable's handle, the shape of the variable.
  }

  struct Result {
    name @0 :Text;
    output @1 :Text;
    # An argument, or an output of a node of the function.
    type @2 :DType;
  }
}

struct FunctionRef {
  name @0 :Text;
  attrs @1 :List(Attr);
}

struct Node {
  name @0 :Text;
  # Unique in its graph. Names that begin with "_" are reserved.

  op @1 :Text;
  # "MatMul": ops, their attributes and their defaults are those of TensorFlow's registry.

  device @2 :Text;
  # The device constraint: full or partial ("/job:worker/task:1/device:CPU:0", "/job:ps"), or empty.

  inputs @3 :List(Text);
  # "name" or "name:1" for an output of a node, in the order of the op's inputs; then "^name" for
  # each control dependency.

  attrs @4 :List(Attr);
  # In any order, each name once. An attribute left out has the op's default or is inferred from the
  # inputs.
}

struct Attr {
  name @0 :Text;
  value @1 :AttrValue;
}

struct AttrValue {
  # The value of an attribute, of the kind that its op asks for.

  union {
    int @0 :Int64;
    float @1 :Float32;
    bool @2 :Bool;
    string @3 :Data;
    type @4 :DType;
    shape @5 :Shape;
    tensor @6 :Tensor;
    ints @7 :List(Int64);
    floats @8 :List(Float32);
    strings @9 :List(Data);
    types @10 :List(DType);
    shapes @11 :List(Shape);
    func @12 :FunctionRef;
    funcs @13 :List(FunctionRef);
    # Functions are nested at most 8 deep in attributes of functions.
  }
}
