// What multiplies y: the exponentials of scores, times what else each weight is multiplied by, such as the mask of a
// dropout. The rows' totals are those of the exponentials alone.
#include <codegen/lower/online.hpp>

#include <codegen/transforms/even_indices.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::codegen::lower {

using namespace device_ir;

/// The exponential of a score, which is added to its row's total.
scalar online_lowering::term(const exponents& e, const std::vector<scalar>& of_score) {
    const scalar &i = of_score[0], h = of_score[2] / 2 % 2;
    const scalar total = c.b.element(e.totals, {i, h});
    const scalar exponent = times(c.b.element(e.scores, of_score), e.scale ? e.scale : number(log2_of_e));
    const scalar log2_of_term = c.b.let("log2_of_term", dtype::float32, plus(exponent, c.b.element(e.shift, {i, h})));
    const scalar made = c.b.let("term", dtype::float32, power(log2_of_term));
    c.b.assign(total, c.combine(of.total, total, made));
    return made;
}

scalar online_lowering::scaled(const std::vector<linear_value>& by, scalar x) {
    for (const linear_value& l : by) {
        c.define(c.at(l.value).in[l.operand], x);
        x = c.expression(l.value);
    }
    return x;
}

/// What the sums of a row are multiplied and divided by, operands first; not what is common to all rows.
std::vector<int> online_lowering::values_of_sums() const {
    std::vector<int> wanted = operands_beside(c.k, of.of_sums), found;
    std::vector<bool> marked(c.k.values.size(), false);
    while (!wanted.empty()) {
        const int v = wanted.back();
        wanted.pop_back();
        const value& self = c.at(v);
        if (marked[static_cast<std::size_t>(v)] || self.what == value_kind::reduce) continue;
        marked[static_cast<std::size_t>(v)] = true;
        std::copy_if(self.in.begin(), self.in.end(), std::back_inserter(wanted), [](int in) { return in >= 0; });
        if (self.what != value_kind::scalar && self.what != value_kind::constant) found.push_back(v);
    }
    std::sort(found.begin(), found.end());
    return own_values(found);
}

/// At an even element: the indices of which the next one shares what is computed.
std::map<int, scalar> online_lowering::shared_indices(const std::vector<int>& computed) {
    std::map<int, scalar> made;
    for (const int v : computed)
        if (shares_with_neighbour(c.k, c.at(v))) made[c.at(v).in[0]] = {};
    for (auto& [index, first] : made) {
        let_score(own_values(group_values_needed(c, {index})), false);
        first = c.b.let(c.unique("even_index"), c.at(index).type, c.operand(index));
    }
    return made;
}

/// What weights take at one of two elements. The compiler finds what they share where an index is written so.
void online_lowering::let_factors(const std::vector<int>& computed, const std::vector<id>& pairs,
                                  const std::map<int, scalar>& shared, const scalar& e) {
    std::vector<char> is_needed(c.k.values.size(), 0);
    for (const int v : operands_beside(c.k, of.of_weights)) is_needed[static_cast<std::size_t>(v)] = 1;
    for (auto v = computed.rbegin(); v != computed.rend(); ++v)
        if (is_needed[static_cast<std::size_t>(*v)] != 0 && shared.count(*v) == 0)
            for (const int in : c.at(*v).in)
                if (in >= 0) is_needed[static_cast<std::size_t>(in)] = 1;
    auto pair = pairs.begin();
    for (const int v : computed) {
        const auto index = shared.find(v);
        if (is_needed[static_cast<std::size_t>(v)] == 0) continue;
        const dtype type = c.at(v).type;
        if (index != shared.end())
            c.let_value(v, c.b.operation(op::bitwise_or::row, type, type, {index->second, c.b.cast(type, e), {}}));
        else if (is_pair(v))
            c.define(v, c.b.element(*pair++, {e}));
        else
            let_score({v}, false);
    }
}

/// Rounds weights to the elements of a fragment.
online_lowering::take_weight online_lowering::rounded_to(id weights, std::vector<scalar> fragment) {
    return [this, weights, fragment](const scalar& at, const scalar& weight) {
        std::vector<scalar> index = fragment;
        index.push_back(at);
        c.b.assign(c.b.element(weights, index), c.b.cast(c.at(of.weight).type, weight));
    };
}

/// The weights of a fragment of 16 rows and 16 elements.
void online_lowering::let_weights(const exponents& e, const scalar& i, const scalar& k, const scalar& first,
                                  const take_weight& take) {
    if (of.of_weights.empty())
        return unrolled("e", fragment_elements, [&](const scalar& at) { take(at, term(e, {i, k, at})); });
    const std::vector<int> computed = own_values(group_values_needed(c, operands_beside(c.k, of.of_weights)));
    const bool loads =
        std::any_of(computed.begin(), computed.end(), [&](int v) { return c.at(v).what == value_kind::load; });
    const bool has_pairs = std::any_of(computed.begin(), computed.end(), [&](int v) { return is_pair(v); });
    unrolled("p", fragment_elements / 2, [&](const scalar& p) {
        const auto inside = [&](const char* name, const scalar& x, const scalar& last, const scalar& extent) {
            return loads ? c.b.let_index(name, c.index_type(), c.b.select(last < extent, x, c.b.integer(0))) : x;
        };
        const scalar own_row = row_of(i, p % 2);
        const scalar row = inside("row_inside", own_row, own_row, rows.extent);
        const scalar first_key = first + (k * fragment_rows + lane % 4 * 2 + p / 2 * 8);
        const scalar key = inside("key_inside", first_key, has_pairs ? first_key + 1 : first_key, nest.extent);
        let_indices(row, key);
        const std::vector<id> pairs = load_pairs(computed);
        const std::map<int, scalar> shared = shared_indices(computed);
        unrolled("e", 2, [&](const scalar& beside) {
            let_indices(row, inside("next_inside", key + beside, key + beside, nest.extent));
            let_factors(computed, pairs, shared, beside);
            const scalar at = p * 2 + beside;
            const scalar weight = scaled(of.of_weights, term(e, {i, k, at}));
            // what is computed past the last element may be no number
            const scalar exists = first_key + beside < nest.extent;
            take(at, c.b.select(exists, weight, number(0)));
        });
    });
}

}  // namespace sinter::codegen::lower
