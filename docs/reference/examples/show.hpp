// What the examples of the reference are written with: each line is run, and printed with what it gives.
#pragma once

#include <sinter.hpp>

#include <cstdio>
#include <cstdlib>

/// Begins the examples of some functions.
#define SECTION(...) std::puts("== " #__VA_ARGS__)

/// A statement.
#define DO(...)                       \
    std::puts("> " #__VA_ARGS__ ";"); \
    __VA_ARGS__

/// Something that stands outside of functions; TEXT prints it.
#define DEFINITION(text, ...) \
    __VA_ARGS__               \
    [[maybe_unused]] static constexpr const char* text = #__VA_ARGS__;
#define TEXT(text) std::printf("> %s\n", text)

/// An expression of arrays, or something else that to_string or std::to_string prints.
#define SHOW(...)                 \
    std::puts("> " #__VA_ARGS__); \
    std::puts(shown(__VA_ARGS__).c_str())

/// An expression that throws.
#define FAILS(...)                                     \
    std::puts("> " #__VA_ARGS__);                      \
    [&] {                                              \
        try {                                          \
            static_cast<void>(__VA_ARGS__);            \
        } catch (const sinter::error& caught) {        \
            std::printf("error: %s\n", caught.what()); \
            return;                                    \
        }                                              \
        std::abort();                                  \
    }()

template <sinter::operand A>
std::string shown(const A& a) {
    return to_string(a);
}
template <int Rank>
std::string shown(const sinter::shape<Rank>& extents) {
    return to_string(extents);
}
inline std::string shown(const char* text) { return text; }
inline std::string shown(const std::string& text) { return text; }
inline std::string shown(bool b) { return b ? "true" : "false"; }
template <class T>
    requires std::is_arithmetic_v<T>
std::string shown(T number) {
    return to_string(sinter::full(sinter::shape<0>(), number));
}
