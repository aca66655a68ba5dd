// Sums, multiples, quotients and remainders of affine forms.
#include <codegen/host/index_form.hpp>

namespace sinter::codegen::blocked {
namespace {

/// Splits `whole` into divisor * multiple + rest; none if rest may be negative or not below divisor.
struct division {
    index_form multiple, rest;
};
std::optional<division> divide(const index_form& whole, std::int64_t divisor,
                               const std::vector<std::int64_t>& extents) {
    if (whole.start < 0 || divisor <= 0) return std::nullopt;
    division p;
    p.multiple.start = whole.start / divisor;
    p.rest.start = whole.start % divisor;
    std::int64_t highest = p.rest.start;
    for (std::size_t a = 0; a < extents.size(); ++a) {
        const std::int64_t step = extents[a] == 1 ? 0 : whole.steps.stride[a];
        if (step % divisor == 0) {
            p.multiple.steps.stride[a] = step / divisor;
            continue;
        }
        if (step < 0) return std::nullopt;
        p.rest.steps.stride[a] = step;
        highest += step * (extents[a] - 1);
    }
    if (highest >= divisor) return std::nullopt;
    return p;
}

}  // namespace

index_form sum_of(const index_form& a, const index_form& b) {
    index_form sum = a;
    sum.start += b.start;
    for (std::size_t i = 0; i < sum.steps.stride.size(); ++i) sum.steps.stride[i] += b.steps.stride[i];
    return sum;
}

index_form scaled(const index_form& a, std::int64_t factor) {
    index_form product = a;
    product.start *= factor;
    for (std::int64_t& step : product.steps.stride) step *= factor;
    return product;
}

std::optional<index_form> quotient_of(const index_form& whole, std::int64_t divisor,
                                      const std::vector<std::int64_t>& extents) {
    const std::optional<division> p = divide(whole, divisor, extents);
    return p ? std::optional(p->multiple) : std::nullopt;
}

std::optional<index_form> remainder_of(const index_form& whole, std::int64_t modulus,
                                       const std::vector<std::int64_t>& extents) {
    const std::optional<division> p = divide(whole, modulus, extents);
    return p ? std::optional(p->rest) : std::nullopt;
}

}  // namespace sinter::codegen::blocked
