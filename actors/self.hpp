#pragma once

#include <type_traits>

#include <caf/all.hpp>

namespace troupe {

/// The first parameter of every behavior: the actor itself, with its State.
/// State needs a constructor (= default will do): CAF 0.17 tests State(self) before State(), and
/// C++20 lets that set the first member of an aggregate.
template <class Protocol, class State>
requires(!std::is_aggregate_v<State>) using Self =
    typename Protocol::template stateful_pointer<State>;

}  // namespace troupe
