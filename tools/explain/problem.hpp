// What is wrong with a text, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace sinter::spoken {

/// A part of a text, from `begin` up to and without `end`.
struct place {
    std::size_t begin = 0, end = 0;
};

/// Thrown by all that reads expressions.
class problem : public std::runtime_error {
public:
    problem(place at, const std::string& what) : std::runtime_error(what), at_(at) {}
    place where() const { return at_; }

private:
    place at_;
};

/// The message, and below it the text's line with the place marked:
///
///     there is no function 'squrt'; did you mean 'sqrt'?
///       squrt(x)
///       ^~~~~
std::string with_marks(const std::string& text, const problem& p);

}  // namespace sinter::spoken
