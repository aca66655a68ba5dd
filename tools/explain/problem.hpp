// Errors with their position in a text.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace sinter::spoken {

/// A half-open range [begin, end) of a text.
struct place {
    std::size_t begin = 0, end = 0;
};

/// Thrown by all functions that parse expressions.
class problem : public std::runtime_error {
public:
    problem(place at, const std::string& what) : std::runtime_error(what), at_(at) {}
    place where() const { return at_; }

private:
    place at_;
};

/// The message, followed by the text's line with the position marked:
///
///     there is no function 'squrt'; did you mean 'sqrt'?
///       squrt(x)
///       ^~~~~
std::string with_marks(const std::string& text, const problem& p);

}  // namespace sinter::spoken
