// Which of the tables an operation's meaning stands in.
#include <tests/fuzz/meaning.hpp>

#include <sinter/error.hpp>
#include <tests/fuzz/tables.hpp>

#include <cmath>
#include <string>

namespace sinter::fuzz {
namespace {

/// One of two operands, by a condition; both of them where that is not known.
known chosen(dtype type, const known* in) {
    const known &x = in[1], &y = in[2];
    if (in[0].is_sure()) return in[0].integer != 0 ? x : y;
    if (!x.is_sure() || !y.is_sure()) return unknown();
    if (is_floating(type) || is_complex(type))
        return {std::fmin(x.lo, y.lo), std::fmax(x.hi, y.hi), std::fmin(x.im_lo, y.im_lo), std::fmax(x.im_hi, y.im_hi)};
    return x.integer == y.integer ? x : unknown();
}

rule rule_of(const op_row& op, dtype compute) {
    if (op.rule == dtype_rule::select) return chosen;
    if (is_complex(compute)) return complex_rule(op.name);
    if (!is_floating(compute)) return integer_rule(op.name);
    const rule smooth = floating_rule(op.name);
    return smooth != nullptr ? smooth : stepwise_rule(op.name);
}

}  // namespace

bool has_meaning(const op_row& op, dtype compute) {
    if (op.is_reduction) {
        for (const char* known_fold : {"sum", "prod", "any", "all", "max", "min", "nanmax", "nanmin"})
            if (std::string(op.name) == known_fold) return true;
        return false;
    }
    return rule_of(op, compute) != nullptr;
}

rule meaning_of(const op_row& op, dtype compute) {
    const rule what = rule_of(op, compute);
    if (what == nullptr)
        throw error(std::string("fuzz: no meaning of '") + op.name + "' of " + name(compute) +
                    "; add it to the table of that kind, one of tests/fuzz/*_meaning.cpp");
    return what;
}

}  // namespace sinter::fuzz
