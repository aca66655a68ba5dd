// Arithmetic of linear forms.
#include <codegen/verify/linear_form.hpp>

#include <algorithm>

namespace sinter::codegen::device_ir {

linear_form linear_form::of(symbol s, std::int64_t times) {
    linear_form f;
    if (times != 0) f.summands_[static_cast<std::size_t>(f.size_++)] = {s, times};
    return f;
}

std::optional<symbol> linear_form::as_symbol() const {
    if (size_ != 1 || constant != 0 || summands_[0].times != 1) return std::nullopt;
    return summands_[0].of;
}

std::int64_t linear_form::times(symbol s) const {
    for (const summand& one : *this)
        if (one.of == s) return one.times;
    return 0;
}

std::optional<linear_form> linear_form::sum(const linear_form& a, const linear_form& b, std::int64_t factor) {
    linear_form result;
    const auto add = [factor](std::int64_t x, std::int64_t y, std::int64_t& z) {
        std::int64_t product = 0;
        return !__builtin_mul_overflow(factor, y, &product) && !__builtin_add_overflow(x, product, &z);
    };
    if (!add(a.constant, b.constant, result.constant)) return std::nullopt;
    const summand *x = a.begin(), *y = b.begin();
    while (x != a.end() || y != b.end()) {
        summand one;
        const bool from_a = y == b.end() || (x != a.end() && x->of <= y->of);
        const bool from_b = x == a.end() || (y != b.end() && y->of <= x->of);
        one.of = from_a ? x->of : y->of;
        if (!add(from_a ? x->times : 0, from_b ? y->times : 0, one.times)) return std::nullopt;
        x += from_a ? 1 : 0;
        y += from_b ? 1 : 0;
        if (one.times == 0) continue;
        if (result.size_ == capacity) return std::nullopt;
        result.summands_[static_cast<std::size_t>(result.size_++)] = one;
    }
    return result;
}

bool linear_form::operator==(const linear_form& other) const {
    return constant == other.constant && std::equal(begin(), end(), other.begin(), other.end());
}

}  // namespace sinter::codegen::device_ir
