// Turns divisions of indices into multiplications. Reshapes, repetitions and permutations read at quotients and
// remainders of an index. A GPU divides integers in about 20 instructions; the multiplication takes 3. The divisors are
// determined by the shapes, and so are their multipliers: both are launch arguments.
#include <codegen/analysis/division.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sinter::codegen {
namespace {

class strength_reducer {
public:
    explicit strength_reducer(loop_nest& k) : k_(k), from_(std::move(k.values)) {}

    void run() {
        for (const value& old : from_) {
            value v = old;
            for (int& in : v.in)
                if (in >= 0) in = now_[static_cast<std::size_t>(in)];
            now_.push_back(divides(v) ? divided(v) : push(v));
        }
        for (kernel_store& s : k_.stores) s.value = now_[static_cast<std::size_t>(s.value)];
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
    }

private:
    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }
    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    /// Whether a value is an int32 division by a number that the shapes determine.
    bool divides(const value& v) const {
        if (v.what != value_kind::elementwise || v.type != dtype::int32) return false;
        if (v.op != &index_quotient && v.op != &index_remainder) return false;
        const value& divisor = at(v.in[1]);
        return divisor.what == value_kind::scalar && k_.scalars[static_cast<std::size_t>(divisor.scalar)] < 0 &&
               number_of(divisor) > 0;
    }
    std::int64_t number_of(const value& scalar) const {
        return k_.numbers[static_cast<std::size_t>(-1 - k_.scalars[static_cast<std::size_t>(scalar.scalar)])];
    }

    int number(std::int64_t n) {
        const auto [found, is_new] = numbers_.try_emplace(n, -1);
        if (!is_new) return found->second;
        value v;
        v.what = value_kind::scalar;
        v.type = dtype::int32;
        v.scalar = static_cast<int>(k_.scalars.size());
        k_.numbers.push_back(n);
        k_.scalars.push_back(-static_cast<int>(k_.numbers.size()));
        k_.scalar_types.push_back(dtype::int32);
        return found->second = push(v);
    }

    int computed(const value& like, const op_row& op, int x, int y, int z = -1) {
        value v = like;
        v.op = &op;
        v.in = {x, y, z};
        return push(v);
    }

    int divided(const value& v) {
        const std::int64_t divisor = number_of(at(v.in[1]));
        const auto [found, is_new] = quotients_.try_emplace({v.in[0], divisor}, -1);
        if (is_new) {
            const auto multiplier = static_cast<std::int32_t>(multiplier_for(static_cast<std::uint64_t>(divisor), 32));
            const int shift = shift_for(static_cast<std::uint64_t>(divisor));
            found->second = computed(v, index_divided, v.in[0], number(multiplier), number(shift));
        }
        if (v.op == &index_quotient) return found->second;
        const int whole = computed(v, index_scaled, found->second, number(-divisor));
        return computed(v, index_plus, v.in[0], whole);
    }

    loop_nest& k_;
    const std::vector<value> from_;
    std::vector<int> now_;
    std::map<std::int64_t, int> numbers_;
    std::map<std::pair<int, std::int64_t>, int> quotients_;
};

/// Drops arguments that are no longer used, such as replaced divisors.
void drop_scalars(loop_nest& k) {
    std::vector<char> used(k.values.size(), 0);
    for (const kernel_store& s : k.stores) used[static_cast<std::size_t>(s.value)] = 1;
    for (std::size_t i = k.values.size(); i-- > 0;) {
        if (k.values[i].what == value_kind::reduce) used[i] = 1;
        for (const int in : k.values[i].in)
            if (used[i] != 0 && in >= 0) used[static_cast<std::size_t>(in)] = 1;
    }
    std::vector<int> now(k.values.size(), -1), scalar_now(k.scalars.size(), -1);
    loop_nest kept;
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        value v = k.values[i];
        if (v.what == value_kind::scalar && used[i] == 0) continue;
        for (int& in : v.in)
            if (in >= 0) in = now[static_cast<std::size_t>(in)];
        if (v.what == value_kind::scalar) {
            int& scalar = scalar_now[static_cast<std::size_t>(v.scalar)];
            if (scalar < 0) {
                scalar = static_cast<int>(kept.scalars.size());
                kept.scalars.push_back(k.scalars[static_cast<std::size_t>(v.scalar)]);
                kept.scalar_types.push_back(k.scalar_types[static_cast<std::size_t>(v.scalar)]);
            }
            v.scalar = scalar;
        }
        now[i] = static_cast<int>(kept.values.size());
        kept.values.push_back(v);
    }
    for (kernel_store& s : k.stores) s.value = now[static_cast<std::size_t>(s.value)];
    for (inner_loop& l : k.loops)
        for (int& r : l.reductions) r = now[static_cast<std::size_t>(r)];
    k.values = std::move(kept.values);
    k.scalars = std::move(kept.scalars);
    k.scalar_types = std::move(kept.scalar_types);
}

}  // namespace

void reduce_strength(loop_nest& k) {
    const auto divides = [](const value& v) { return v.op == &index_quotient || v.op == &index_remainder; };
    if (std::none_of(k.values.begin(), k.values.end(), divides)) return;
    strength_reducer(k).run();
    drop_scalars(k);
}

}  // namespace sinter::codegen
