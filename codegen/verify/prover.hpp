// Proves inequalities of linear forms under assumptions.
#pragma once

#include <codegen/verify/symbols.hpp>

#include <cstddef>
#include <vector>

namespace sinter::codegen::device_ir {

class prover {
public:
    explicit prover(symbol_table& of) : symbols(of) {}

    /// Whether f >= 0 is proved. The search is incomplete: false does not mean that f may be negative.
    bool proves(const linear_form& f);

    /// An upper bound of f from single assumptions; `unbounded` if there is none.
    std::int64_t bound_of(const linear_form& f) const;

    /// Assumptions hold until they are removed by take_back(mark).
    void assume(const linear_form& not_negative) { assumed_.push_back(symbols.tight(not_negative)); }
    void assume(const facts& all) {
        for (const linear_form& one : all) assume(one);
    }
    std::size_t mark() const { return assumed_.size(); }
    void take_back(std::size_t to_mark);

private:
    bool search(const linear_form& f, int depth);
    bool eliminate(const linear_form& f, int depth);
    bool by_cases(const linear_form& f, const linear_form::summand& chosen, int depth);
    bool by_facts(const facts& known, std::size_t count, const linear_form& f, const linear_form::summand& gone,
                  int depth);
    bool by_quotient(const linear_form& f, const linear_form::summand& gone, int depth);
    linear_form tightened(const linear_form& f) const;

    symbol_table& symbols;
    struct proof {
        linear_form of;
        std::size_t from = 0;  ///< number of assumptions at that time
    };

    facts assumed_;
    std::vector<proof> proofs_;  ///< proofs whose assumptions still hold
    int steps_ = 0;
};

}  // namespace sinter::codegen::device_ir
