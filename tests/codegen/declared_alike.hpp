// Whether declarations of one's own agree with a library's header.
#pragma once

#include <type_traits>

namespace sinter::codegen::testing {

/// Whether two constants have the same size and value.
template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
    return sizeof(Ours) == sizeof(Theirs) && static_cast<long>(ours) == static_cast<long>(theirs);
}

/// A type as the machine passes it: enumerations and handles are what they are made of.
template <class T>
struct passed {
    using type = T;
};
template <class T>
    requires(std::is_pointer_v<T>)
struct passed<T> {
    using type = void*;
};
template <class T>
    requires(std::is_enum_v<T>)
struct passed<T> {
    using type = int;
};

/// Whether two functions' pointers can stand for each other.
template <class A, class B>
constexpr bool as_declared = false;
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
constexpr bool as_declared<R (*)(A...), S (*)(B...)> =
    std::is_same_v<typename passed<R>::type, typename passed<S>::type> &&
    (std::is_same_v<typename passed<A>::type, typename passed<B>::type> && ...);

}  // namespace sinter::codegen::testing
