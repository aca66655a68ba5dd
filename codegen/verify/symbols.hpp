// Symbols of index arithmetic: extents, thread and block indices, counters, and what linear forms cannot express:
// products, quotients, remainders, choices. Each symbol has a range and a known divisor; other facts that always hold
// about it are axioms.
#pragma once

#include <codegen/verify/linear_form.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace sinter::codegen::device_ir {

inline constexpr std::int64_t unbounded = std::numeric_limits<std::int64_t>::max();

/// The interval [low, high]; -unbounded and unbounded mean no bound.
struct range {
    std::int64_t low = -unbounded, high = unbounded;
    bool operator==(const range&) const = default;
};

range hull(const range& a, const range& b);

/// A conjunction of forms >= 0.
using facts = std::vector<linear_form>;

class symbol_table {
public:
    symbol make(const range& r, std::int64_t multiple = 1);
    linear_form value(const range& r, std::int64_t multiple = 1) { return linear_form::of(make(r, multiple)); }

    linear_form sum(const linear_form& a, const linear_form& b, std::int64_t factor = 1);
    linear_form product(const linear_form& a, const linear_form& b);
    /// Requires dividend >= 0 and a divisor that is a positive number or symbol.
    linear_form quotient(const linear_form& dividend, const linear_form& divisor);
    linear_form remainder(const linear_form& dividend, const linear_form& divisor);
    /// `yes` under the facts `if_yes`, otherwise `no`, under the facts `if_no`.
    linear_form choice(facts if_yes, facts if_no, const linear_form& yes, const linear_form& no);

    /// If the form is a symbol, records that it is at least `low`.
    void raise(const linear_form& f, std::int64_t low);
    /// If the form is a symbol, records that it is a multiple of `divisor`.
    void divide_by(const linear_form& f, std::int64_t divisor);

    range range_of(const linear_form& f) const;
    /// A number that divides all summands except the constant; 0 if there are none.
    std::int64_t multiple_of(const linear_form& f) const;

    struct division {
        linear_form dividend, divisor;
    };
    struct alternatives {
        facts if_yes, if_no;
        linear_form yes, no;
    };
    /// The quotient or choice that a symbol stands for; null if it is neither.
    const division* quotient_of(symbol s) const;
    const alternatives* choice_of(symbol s) const;

    /// A form >= 0 with its constant lowered as far as that still follows: the rest is a multiple of some number.
    linear_form tight(const linear_form& not_negative) const;

    void add_axiom(const linear_form& not_negative) { axioms_.push_back(tight(not_negative)); }
    const facts& axioms() const { return axioms_; }

private:
    enum class made_as : std::uint8_t { given, product, quotient, remainder, choice };
    struct entry {
        range bounds;
        std::int64_t multiple = 1;
        made_as how = made_as::given;
        std::vector<symbol> factors;  ///< product: sorted
        int at = -1;                  ///< index into divisions_ or choices_
    };

    entry& at(symbol s) { return entries_[static_cast<std::size_t>(s)]; }
    const entry& at(symbol s) const { return entries_[static_cast<std::size_t>(s)]; }
    symbol product_of(symbol a, symbol b);
    std::vector<symbol> factors_of(symbol s) const;
    /// A product divided by one of its factors; nothing if it lacks the factor.
    std::optional<linear_form> without(const linear_form& product, symbol divisor);
    linear_form divided(made_as how, const linear_form& dividend, const linear_form& divisor, const range& r);

    facts axioms_;
    std::vector<entry> entries_;
    std::vector<division> divisions_;
    std::vector<alternatives> choices_;
};

}  // namespace sinter::codegen::device_ir
