// Computes all elements of a thread op by op, rather than one element after the other. Functions of float64 bring the
// constants of their polynomials to registers, two instructions each, and most have a branch for special values, which
// keeps compilers from moving the instructions of one element beside those of another. A function of all elements
// brings its constants once: two erf, exp, log, a square root and two divisions take 353 instructions per element, of
// four, in place of 425 (sm_90, NVRTC 13.0).
#include <codegen/lower/access.hpp>
#include <codegen/lower/group_values.hpp>

#include <codegen/analysis/op_traits.hpp>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

namespace {

/// Defines loads and what is kept as those of the current access and neighbour.
void define_elements(lowering& c, const access_plan& p, const element_function& f, const std::map<int, id>& kept) {
    std::vector<scalar> indices = of_access(c);
    if (p.vectored) indices.push_back(c.neighbour);
    for (const int v : f.loads) c.define(v, element_of(c, p, v));
    for (const auto& [v, array] : kept) c.define(v, c.b.element(array, indices));
}

class op_by_op {
public:
    op_by_op(lowering& shared, const access_plan& plan, const element_function& function)
        : c(shared), p(plan), f(function) {}

    std::map<int, id> write() {
        std::vector<int> part;
        for (const int v : values_stored(c, f.stores)) {
            if (c.at(v).what != value_kind::elementwise && c.at(v).what != value_kind::cast) continue;
            part.push_back(v);
            if (calls_function(v)) write_part(part);
        }
        if (!part.empty()) write_part(part);
        return std::move(arrays_);
    }

private:
    bool calls_function(int v) const {
        if (c.at(v).op == nullptr) return false;
        const op_traits traits = traits_of(*c.at(v).op);
        return traits.functions + traits.divisions > 0;
    }

    /// The values of a part, for each element. Those that later parts read are kept in arrays.
    void write_part(std::vector<int>& part) {
        for (const int v : part)
            if (is_read_later(v, part.back())) declare(v);
        c.open_unroll();
        if (p.vectored) c.neighbour = c.b.open_unrolled("e", c.s.vector_width);
        define_elements(c, p, f, arrays_);
        for (const int v : part) {
            const auto kept = arrays_.find(v);
            if (kept == arrays_.end())
                c.let_value(v, c.expression(v));
            else
                c.b.assign(c.operand(v), c.expression(v));
        }
        if (p.vectored) c.b.close();
        c.close_unroll();
        part.clear();
    }

    bool is_read_later(int v, int last) const {
        const auto stores = [&](int st) { return c.store_at(st).value == v; };
        if (std::any_of(f.stores.begin(), f.stores.end(), stores)) return true;
        for (auto later = static_cast<std::size_t>(last) + 1; later < c.k.values.size(); ++later) {
            const value& reader = c.k.values[later];
            if (std::find(reader.in.begin(), reader.in.end(), v) != reader.in.end()) return true;
        }
        return false;
    }

    void declare(int v) {
        array held{c.name(v), space::registers, c.at(v).type, {}};
        if (c.s.unroll > 1) held.extents.push_back(c.s.unroll);
        if (p.vectored) held.extents.push_back(c.s.vector_width);
        arrays_[v] = c.b.declare(held);
    }

    lowering& c;
    const access_plan& p;
    const element_function& f;
    std::map<int, id> arrays_;
};

}  // namespace

std::map<int, id> compute_op_by_op(lowering& c, const access_plan& p, const element_function& f) {
    return op_by_op(c, p, f).write();
}

void store_op_by_op(lowering& c, const access_plan& p, const element_function& f, const std::map<int, id>& computed) {
    store_results(c, p, f, [&](const results_of_stores& result) {
        define_elements(c, p, f, computed);
        for (const int st : f.stores) c.b.assign(result(st), c.converted(st, c.operand(c.store_at(st).value)));
    });
}

}  // namespace sinter::codegen::lower
