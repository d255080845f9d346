#pragma once

#include <type_traits>

#include <caf/all.hpp>

namespace troupe {

/// The first parameter of every behavior function: the actor itself, with its State.
/// State needs a declared constructor (`= default` is enough): CAF 0.17 tries State(self) before
/// State(), and in C++20 that would initialise the first member of an aggregate.
template <class Protocol, class State>
requires(!std::is_aggregate_v<State>) using Self =
    typename Protocol::template stateful_pointer<State>;

}  // namespace troupe
