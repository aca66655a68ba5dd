// Emits the loads, indices, ops and casts of one group.
#include <codegen/lower/group_values.hpp>

#include <algorithm>
#include <utility>

namespace sinter::codegen::lower {

using namespace device_ir;

std::vector<int> group_values_needed(const lowering& c, std::vector<int> wanted) {
    std::vector<bool> marked(c.k.values.size(), false);
    std::vector<int> found;
    while (!wanted.empty()) {
        const int v = wanted.back();
        wanted.pop_back();
        const value& self = c.at(v);
        if (marked[static_cast<std::size_t>(v)] || self.loop == 0 || self.over == 0) continue;
        marked[static_cast<std::size_t>(v)] = true;
        for (int in : self.in)
            if (in >= 0) wanted.push_back(in);
        if (self.what != value_kind::reduce && self.what != value_kind::scalar && self.what != value_kind::constant)
            found.push_back(v);
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<int> values_stored(const lowering& c, const std::vector<int>& stores) {
    std::vector<bool> marked(c.k.values.size(), false);
    for (const int st : stores) marked[static_cast<std::size_t>(c.store_at(st).value)] = true;
    std::vector<int> found;
    for (auto v = static_cast<int>(c.k.values.size()); v-- > 0;) {
        const value& self = c.at(v);
        if (!marked[static_cast<std::size_t>(v)] || self.what == value_kind::reduce) continue;
        for (int in : self.in)
            if (in >= 0) marked[static_cast<std::size_t>(in)] = true;
        if (self.what != value_kind::scalar && self.what != value_kind::constant) found.push_back(v);
    }
    std::reverse(found.begin(), found.end());
    return found;
}

void let_group_values(lowering& c, const std::vector<int>& values, const std::vector<int>& axes) {
    for (int v : values) {
        const value& self = c.at(v);
        if (self.what == value_kind::index) {
            c.let_value(v, c.sum_of(c.terms(self.at, axes)));
        } else if (self.what == value_kind::load) {
            std::vector<term> terms = c.terms(self.at, axes);
            if (self.in[0] >= 0) terms.push_back({-1, c.operand(self.in[0]).at, none});
            c.let_value(v, c.b.memory(c.input(self.input), std::move(terms)));
        } else {
            c.let_value(v, c.expression(v));
        }
    }
}

}  // namespace sinter::codegen::lower
