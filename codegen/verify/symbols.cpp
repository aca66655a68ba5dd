// Equal products and equal divisions share a symbol.
#include <codegen/verify/symbols.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::codegen::device_ir {
namespace {

bool is_bound(std::int64_t n) { return n != unbounded && n != -unbounded; }

/// a * b, or the infinite bound on overflow; requires a != 0.
std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (is_bound(b) && !__builtin_mul_overflow(a, b, &result)) return result;
    return (a > 0) == (b > 0) ? unbounded : -unbounded;
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
    if (!is_bound(a)) return a;
    if (!is_bound(b)) return b;
    std::int64_t result = 0;
    return __builtin_add_overflow(a, b, &result) ? (a > 0 ? unbounded : -unbounded) : result;
}

/// Splits f into the part that `divisor` divides, divided by it, and the remainder.
std::pair<linear_form, linear_form> split(const linear_form& f, std::int64_t divisor) {
    linear_form whole, rest;
    rest.constant = ((f.constant % divisor) + divisor) % divisor;
    whole.constant = (f.constant - rest.constant) / divisor;
    for (const auto& [of, factor] : f) {
        const bool divides = factor % divisor == 0;
        linear_form& part = divides ? whole : rest;
        part = *linear_form::sum(part, linear_form::of(of, divides ? factor / divisor : factor), 1);
    }
    return {whole, rest};
}

constexpr std::int64_t largest_multiple = std::int64_t{1} << 20;

}  // namespace

range hull(const range& a, const range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

linear_form symbol_table::tight(const linear_form& not_negative) const {
    linear_form f = not_negative;
    const std::int64_t multiple = multiple_of(f);
    if (multiple > 1) f.constant -= ((f.constant % multiple) + multiple) % multiple;
    return f;
}

symbol symbol_table::make(const range& r, std::int64_t multiple) {
    entries_.push_back({r, multiple, made_as::given, {}, -1});
    return static_cast<symbol>(entries_.size()) - 1;
}

linear_form symbol_table::sum(const linear_form& a, const linear_form& b, std::int64_t factor) {
    if (const auto result = linear_form::sum(a, b, factor)) return *result;
    return value({});
}

range symbol_table::range_of(const linear_form& f) const {
    range r{f.constant, f.constant};
    for (const auto& [of, factor] : f) {
        const range& bounds = at(of).bounds;
        r.low = plus(r.low, times(factor, factor > 0 ? bounds.low : bounds.high));
        r.high = plus(r.high, times(factor, factor > 0 ? bounds.high : bounds.low));
    }
    return r;
}

std::int64_t symbol_table::multiple_of(const linear_form& f) const {
    std::int64_t all = 0;
    for (const auto& [of, factor] : f)
        all = std::gcd(all, std::min(times(at(of).multiple, factor < 0 ? -factor : factor), largest_multiple));
    return all;
}

std::vector<symbol> symbol_table::factors_of(symbol s) const {
    return at(s).how == made_as::product ? at(s).factors : std::vector<symbol>{s};
}

std::optional<linear_form> symbol_table::without(const linear_form& product, symbol divisor) {
    if (product.constant != 0 || product.begin() + 1 != product.end()) return std::nullopt;
    std::vector<symbol> left = factors_of(product.begin()->of);
    for (symbol s : factors_of(divisor)) {
        const auto found = std::find(left.begin(), left.end(), s);
        if (found == left.end()) return std::nullopt;
        left.erase(found);
    }
    linear_form result(product.begin()->times);
    for (symbol s : left) result = this->product(result, linear_form::of(s));
    return result;
}

symbol symbol_table::product_of(symbol a, symbol b) {
    std::vector<symbol> factors = factors_of(a);
    const std::vector<symbol> more = factors_of(b);
    factors.insert(factors.end(), more.begin(), more.end());
    std::sort(factors.begin(), factors.end());
    for (std::size_t s = 0; s < entries_.size(); ++s)
        if (entries_[s].factors == factors) return static_cast<symbol>(s);
    range r{1, 1};
    std::int64_t multiple = 1;
    bool known = true;
    for (symbol s : factors) {
        const range& bounds = at(s).bounds;
        known = known && bounds.low >= 0;
        r.low = bounds.low == 0 || r.low == 0 ? 0 : times(r.low, bounds.low);
        r.high = bounds.high == 0 || r.high == 0 ? 0 : times(r.high, bounds.high);
        multiple = std::min(times(multiple, at(s).multiple), largest_multiple);
    }
    const symbol made = make(known ? r : range{}, multiple);
    at(made).how = made_as::product;
    at(made).factors = std::move(factors);
    return made;
}

linear_form symbol_table::product(const linear_form& a, const linear_form& b) {
    if (b.is_constant()) return sum({}, a, b.constant);
    linear_form result = sum({}, b, a.constant);
    for (const auto& [of, factor] : a) {
        result = sum(result, linear_form::of(of), factor * b.constant);
        for (const auto& [other, by] : b)
            result = sum(result, linear_form::of(product_of(of, other)), times(factor, by));
    }
    return result;
}

linear_form symbol_table::divided(made_as how, const linear_form& dividend, const linear_form& divisor,
                                  const range& r) {
    for (std::size_t s = 0; s < entries_.size(); ++s) {
        if (entries_[s].how != how) continue;
        const division& known = divisions_[static_cast<std::size_t>(entries_[s].at)];
        if (known.dividend == dividend && known.divisor == divisor) return linear_form::of(static_cast<symbol>(s));
    }
    divisions_.push_back({dividend, divisor});
    const symbol made = make(r);
    at(made).how = how;
    at(made).at = static_cast<int>(divisions_.size()) - 1;
    const linear_form result = linear_form::of(made);
    if (how == made_as::remainder) {
        add_axiom(sum(sum(divisor, -1), result, -1));
        return result;
    }
    // divisor * result <= dividend < divisor * (result + 1)
    const linear_form left = sum(dividend, product(result, divisor), -1);
    add_axiom(left);
    add_axiom(sum(sum(divisor, -1), left, -1));
    return result;
}

linear_form symbol_table::quotient(const linear_form& dividend, const linear_form& divisor) {
    range r = range_of(dividend);
    r.low = 0;
    if (!divisor.is_constant()) {
        if (!divisor.as_symbol()) return value(r);
        if (const auto exact = without(dividend, *divisor.as_symbol())) return *exact;
        return divided(made_as::quotient, dividend, divisor, r);
    }
    if (divisor.constant <= 0) return value({});
    const auto [whole, rest] = split(dividend, divisor.constant);
    r = range_of(rest);
    if (r.low >= 0 && r.high < divisor.constant) return whole;
    if (r.low < 0) return divided(made_as::quotient, dividend, divisor, {0, range_of(dividend).high});
    const range parts{r.low / divisor.constant, r.high == unbounded ? unbounded : r.high / divisor.constant};
    return sum(whole, divided(made_as::quotient, rest, divisor, parts));
}

linear_form symbol_table::remainder(const linear_form& dividend, const linear_form& divisor) {
    if (!divisor.is_constant()) {
        const range d = range_of(divisor);
        const range r{0, d.high == unbounded ? unbounded : d.high - 1};
        return divisor.as_symbol() ? divided(made_as::remainder, dividend, divisor, r) : value(r);
    }
    if (divisor.constant <= 0) return value({});
    const linear_form rest = split(dividend, divisor.constant).second;
    const range r = range_of(rest);
    if (r.low >= 0 && r.high < divisor.constant) return rest;
    const linear_form result = divided(made_as::remainder, rest, divisor, {0, divisor.constant - 1});
    at(*result.as_symbol()).multiple =
        std::max<std::int64_t>(std::gcd(std::gcd(multiple_of(rest), rest.constant), divisor.constant), 1);
    return result;
}

linear_form symbol_table::choice(facts if_yes, facts if_no, const linear_form& yes, const linear_form& no) {
    if (yes == no) return yes;
    std::int64_t multiple = std::gcd(std::gcd(multiple_of(yes), yes.constant), std::gcd(multiple_of(no), no.constant));
    const symbol made = make(hull(range_of(yes), range_of(no)), std::max<std::int64_t>(multiple, 1));
    choices_.push_back({std::move(if_yes), std::move(if_no), yes, no});
    at(made).how = made_as::choice;
    at(made).at = static_cast<int>(choices_.size()) - 1;
    return linear_form::of(made);
}

void symbol_table::raise(const linear_form& f, std::int64_t low) {
    if (const auto s = f.as_symbol()) at(*s).bounds.low = std::max(at(*s).bounds.low, low);
}

void symbol_table::divide_by(const linear_form& f, std::int64_t divisor) {
    if (const auto s = f.as_symbol()) at(*s).multiple = std::lcm(at(*s).multiple, divisor);
}

const symbol_table::division* symbol_table::quotient_of(symbol s) const {
    return at(s).how == made_as::quotient ? &divisions_[static_cast<std::size_t>(at(s).at)] : nullptr;
}

const symbol_table::alternatives* symbol_table::choice_of(symbol s) const {
    return at(s).how == made_as::choice ? &choices_[static_cast<std::size_t>(at(s).at)] : nullptr;
}

}  // namespace sinter::codegen::device_ir
