// Splits an expression into tokens.
#pragma once

#include <tools/explain/problem.hpp>

#include <string>
#include <vector>

namespace sinter::spoken {

enum class word_kind : unsigned char { name, number, string, symbol, end };

struct word {
    word_kind kind = word_kind::end;
    std::string text;  ///< of a string: the text between the quotes
    place at;
};

/// The tokens, followed by one of kind `end`. Throws problem for an invalid character.
std::vector<word> words_of(const std::string& text);

}  // namespace sinter::spoken
