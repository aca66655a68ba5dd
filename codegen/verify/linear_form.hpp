// Linear forms: a constant plus integer multiples of symbols, over the mathematical integers. The schedule ensures that
// index arithmetic does not overflow (schedule::wide_index).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace sinter::codegen::device_ir {

/// An index into a symbol table: a value that index arithmetic does not decompose.
using symbol = int;

class linear_form {
public:
    struct summand {
        symbol of = -1;
        std::int64_t times = 0;
        bool operator==(const summand&) const = default;
    };

    linear_form() = default;
    linear_form(std::int64_t value) : constant(value) {}  // NOLINT: a number is a form
    static linear_form of(symbol s, std::int64_t times = 1);

    std::int64_t constant = 0;
    const summand* begin() const { return summands_.data(); }
    const summand* end() const { return summands_.data() + size_; }
    bool is_constant() const { return size_ == 0; }
    /// The symbol, if the form is exactly one symbol.
    std::optional<symbol> as_symbol() const;
    std::int64_t times(symbol s) const;

    /// a + factor * b; nothing if that has too many summands or too large numbers.
    static std::optional<linear_form> sum(const linear_form& a, const linear_form& b, std::int64_t factor);
    std::optional<linear_form> scaled(std::int64_t factor) const { return sum({}, *this, factor); }

    bool operator==(const linear_form& other) const;

private:
    static constexpr int capacity = 14;
    std::array<summand, capacity> summands_{};  ///< sorted by symbol; none is multiplied by 0
    int size_ = 0;
};

}  // namespace sinter::codegen::device_ir
