// Proves that a form is not negative: by its range, or by subtracting multiples of a fact g >= 0 that eliminate a
// symbol without a bound (Fourier-Motzkin elimination, one symbol at a time), to a limited depth.
#include <codegen/verify/prover.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::codegen::device_ir {
namespace {

constexpr int depths[] = {1, 2, 3, 5, 7};  ///< iterative deepening: most proofs are short
constexpr int max_steps = 300;

}  // namespace

bool prover::proves(const linear_form& f) {
    if (symbols.range_of(f).low >= 0) return true;
    for (const proof& known : proofs_)
        if (known.of == f) return true;
    steps_ = 0;
    for (int depth : depths) {
        if (!search(f, depth)) continue;
        proofs_.push_back({f, assumed_.size()});
        return true;
    }
    return false;
}

std::int64_t prover::bound_of(const linear_form& f) const {
    std::int64_t least = unbounded;
    for (const linear_form& known : assumed_) {
        const auto left = linear_form::sum(known, f, 1);
        if (left && left->is_constant()) least = std::min(least, left->constant);
    }
    return least;
}

void prover::take_back(std::size_t to_mark) {
    assumed_.resize(to_mark);
    std::erase_if(proofs_, [&](const proof& known) { return known.from > to_mark; });
}

/// f with its constant increased as far as f >= 0 still follows; the other summands share a divisor.
linear_form prover::tightened(const linear_form& f) const {
    const std::int64_t multiple = symbols.multiple_of(f);
    if (multiple <= 1) return f;
    linear_form result = f;
    const std::int64_t over = ((f.constant % multiple) + multiple) % multiple;
    result.constant += multiple - 1 - over;
    return result;
}

bool prover::search(const linear_form& exact, int depth) {
    const linear_form f = tightened(exact);
    if (symbols.range_of(f).low >= 0) return true;
    if (depth == 0 || ++steps_ > max_steps) return false;
    if (eliminate(f, depth)) return true;
    for (const linear_form::summand& one : f)
        if (symbols.choice_of(one.of) != nullptr) return by_cases(f, one, depth);
    return false;
}

/// Eliminates a symbol by known facts: the first unbounded one or, if all are bounded, any.
bool prover::eliminate(const linear_form& f, int depth) {
    const auto has_bound = [&](const linear_form::summand& one) {
        return symbols.range_of(linear_form::of(one.of, one.times)).low != -unbounded;
    };
    bool all_bounded = true;
    for (const linear_form::summand& one : f) all_bounded = all_bounded && has_bound(one);
    for (const linear_form::summand& one : f) {
        if (!all_bounded && has_bound(one)) continue;
        if (by_facts(assumed_, assumed_.size(), f, one, depth)) return true;
        if (by_facts(symbols.axioms(), symbols.axioms().size(), f, one, depth)) return true;
        if (one.times < 0 && by_quotient(f, one, depth)) return true;
        if (!all_bounded) return false;  // an unbounded symbol makes the sum unbounded
    }
    return false;
}

bool prover::by_cases(const linear_form& f, const linear_form::summand& chosen, int depth) {
    const symbol_table::alternatives both = *symbols.choice_of(chosen.of);
    const linear_form rest = symbols.sum(f, linear_form::of(chosen.of), -chosen.times);
    const std::size_t before = mark();
    assume(both.if_yes);
    const bool yes = search(symbols.sum(rest, both.yes, chosen.times), depth - 1);
    take_back(before);
    if (!yes) return false;
    assume(both.if_no);
    const bool no = search(symbols.sum(rest, both.no, chosen.times), depth - 1);
    take_back(before);
    return no;
}

bool prover::by_facts(const facts& known, std::size_t count, const linear_form& f, const linear_form::summand& gone,
                      int depth) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t times = known[i].times(gone.of);
        if (times == 0 || (times > 0) != (gone.times > 0)) continue;
        const std::int64_t common = std::gcd(times, gone.times);
        const std::int64_t of_f = (times < 0 ? -times : times) / common;
        const std::int64_t of_fact = (gone.times < 0 ? -gone.times : gone.times) / common;
        const auto scaled = f.scaled(of_f);
        if (!scaled) continue;
        const auto left = linear_form::sum(*scaled, known[i], -of_fact);
        if (left && search(*left, depth - 1)) return true;
    }
    return false;
}

/// Uses that x / d < n if x < n * d, for the symbols n of the form.
bool prover::by_quotient(const linear_form& f, const linear_form::summand& gone, int depth) {
    const symbol_table::division* found = symbols.quotient_of(gone.of);
    if (found == nullptr) return false;
    const symbol_table::division division = *found;
    for (const linear_form::summand& one : f) {
        if (one.times <= 0) continue;
        const linear_form n = linear_form::of(one.of);
        const linear_form all = symbols.product(n, division.divisor);
        if (!search(symbols.sum(symbols.sum(all, -1), division.dividend, -1), depth - 1)) continue;
        // f + t * (x / d) with t = -gone.times, minus t * (n - 1 - x / d)
        const linear_form left = symbols.sum(f, linear_form::of(gone.of), -gone.times);
        if (search(symbols.sum(symbols.sum(left, n, gone.times), -gone.times), depth - 1)) return true;
    }
    return false;
}

}  // namespace sinter::codegen::device_ir
