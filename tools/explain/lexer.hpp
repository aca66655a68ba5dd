// An expression's text in words.
#pragma once

#include <tools/explain/problem.hpp>

#include <string>
#include <vector>

namespace sinter::spoken {

enum class word_kind : unsigned char { name, number, string, symbol, end };

struct word {
    word_kind kind = word_kind::end;
    std::string text;  ///< of a string: what stands between the quotes
    place at;
};

/// The words, with one of kind `end` behind them. Throws problem for a character that starts none.
std::vector<word> words_of(const std::string& text);

}  // namespace sinter::spoken
