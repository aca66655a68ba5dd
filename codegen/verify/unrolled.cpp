// Evaluates all iterations; they are few, since all are printed.
#include <codegen/verify/unrolled.hpp>

namespace sinter::codegen::device_ir {
namespace {

constexpr int max_unrolled_steps = 1 << 16;

std::optional<std::int64_t> apply(arithmetic_kind how, std::int64_t a, std::int64_t b) {
    switch (how) {
        case arithmetic_kind::add: return a + b;
        case arithmetic_kind::subtract: return a - b;
        case arithmetic_kind::multiply: return a * b;
        case arithmetic_kind::divide: return b == 0 ? std::nullopt : std::optional(a / b);
        case arithmetic_kind::remainder: return b == 0 ? std::nullopt : std::optional(a % b);
        case arithmetic_kind::less: return a < b ? 1 : 0;
        case arithmetic_kind::less_equal: return a <= b ? 1 : 0;
        case arithmetic_kind::greater: return a > b ? 1 : 0;
        case arithmetic_kind::greater_equal: return a >= b ? 1 : 0;
        case arithmetic_kind::equal: return a == b ? 1 : 0;
        case arithmetic_kind::shift_right: return a >> b;
        case arithmetic_kind::both: return a != 0 && b != 0 ? 1 : 0;
        default: return std::nullopt;
    }
}

}  // namespace

void unrolled_loops::enter(const statement& loop) {
    char& known = known_[static_cast<std::size_t>(loop.of)];
    known = 1;  // the limit uses the counter
    known = static_cast<char>(loop.unroll == 0 && is_constant(loop.value) && is_constant(loop.limit) &&
                              (loop.step == none || is_constant(loop.step)));
    if (known != 0) open_.push_back(&loop);
}

void unrolled_loops::leave(const statement& loop) {
    if (!open_.empty() && open_.back() == &loop) open_.pop_back();
}

void unrolled_loops::define(id variable, id value) {
    made_of_[static_cast<std::size_t>(variable)] = value;
    known_[static_cast<std::size_t>(variable)] = static_cast<char>(is_constant(value));
}

bool unrolled_loops::is_constant(id at) const {
    const expression& e = p.at(at);
    if (e.kind == expression_kind::integer) return true;
    if (e.kind == expression_kind::variable) return known_[static_cast<std::size_t>(e.of)] != 0;
    if (e.kind != expression_kind::arithmetic && e.kind != expression_kind::cast) return false;
    for (id in : e.in)
        if (in != none && !is_constant(in)) return false;
    return true;
}

std::optional<std::int64_t> unrolled_loops::value_of(id at) const {
    const expression& e = p.at(at);
    switch (e.kind) {
        case expression_kind::integer: return static_cast<std::int64_t>(e.value);
        case expression_kind::cast: return value_of(e.in[0]);
        case expression_kind::variable: {
            const auto& value = values_[static_cast<std::size_t>(e.of)];
            const id made_of = made_of_[static_cast<std::size_t>(e.of)];
            return value || made_of == none ? value : value_of(made_of);
        }
        case expression_kind::arithmetic: {
            if (e.how == arithmetic_kind::negation)
                return value_of(e.in[0]) ? std::optional(*value_of(e.in[0]) == 0) : std::nullopt;
            const auto a = value_of(e.in[0]), b = value_of(e.in[1]);
            if (e.how == arithmetic_kind::select) return !a ? a : *a != 0 ? b : value_of(e.in[2]);
            return a && b ? apply(e.how, *a, *b) : std::nullopt;
        }
        default: return std::nullopt;
    }
}

bool unrolled_loops::holds_everywhere(std::size_t depth, const std::function<bool()>& holds) {
    if (depth == open_.size()) return holds();
    const statement& loop = *open_[depth];
    auto& counter = values_[static_cast<std::size_t>(loop.of)];
    bool all = true;
    for (counter = value_of(loop.value); all && counter && value_of(loop.limit).value_or(0) != 0;) {
        all = ++steps_ < max_unrolled_steps && holds_everywhere(depth + 1, holds);
        if (loop.factor > 0) *counter /= loop.factor;
        if (loop.factor < 0) *counter *= -loop.factor;
        if (loop.factor == 0) *counter += value_of(loop.step).value_or(1);
    }
    counter.reset();
    return all;
}

bool unrolled_loops::is_always_below(id at, std::int64_t end) {
    steps_ = 0;
    return holds_everywhere(0, [&] {
        const auto value = value_of(at);
        return value && *value >= 0 && *value < end;
    });
}

}  // namespace sinter::codegen::device_ir
