// Divides by the reciprocal of what all steps of a loop divide by, such as a row's sum or a scalar. The bits are those
// of a division (include/sinter/number/quotients.hpp). A GPU divides floats in 10 instructions, two of them special
// functions at an eighth of the rate, and a branch; by a reciprocal it takes 9, none of them special. In a loop of
// divisions alone that is 8 instead of 13 cycles of a scheduler, for doubles 12 instead of 24 (one H200). A dividend
// of 0, as behind masks, costs little here; it takes the slow path of a GPU's division.
#include <codegen/ir/is_op.hpp>
#include <codegen/transforms/common_divisors.hpp>
#include <codegen/transforms/pass.hpp>

#include <sinter/op/loops.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace sinter::codegen {
namespace {

SINTER_DETAIL_BODY(shared_reciprocal_body, shared_reciprocal<T>(x));
SINTER_DETAIL_BODY(quotient_by_body, quotient_by<T>(x, y, z));

/// Rows are written as divisions where a kernel says what it computes.
template <class Body, int Arity>
constexpr op_row make_quotient_row(const char* name, const char* text) {
    constexpr dtype_rule rule = dtype_rule::floating;
    return {name, text, "/", Arity, rule, false, false, -1, &detail::make_map_loops<Body, rule, Arity>};
}

/// The reciprocal takes as long as two divisions, and a row's threads, up to 32 of short rows, each compute it.
constexpr std::int64_t least_steps = 256;

/// Whether a loop divides by a value that is computed before it, often enough.
bool has_common_divisor(const loop_nest& k, const value& v) {
    if (!is_op(v, builtin_op::divide) || v.loop < 0) return false;
    const bool exact_floats = v.type == dtype::float32 && k.precision == arithmetic::exact;
    const value& divisor = k.values[static_cast<std::size_t>(v.in[1])];
    return (exact_floats || v.type == dtype::float64) && divisor.loop == group_level &&
           trip_count(k, k.loops[static_cast<std::size_t>(v.loop)]) >= least_steps;
}

class divisor_sharing {
public:
    explicit divisor_sharing(loop_nest& k) : k_(k), from_(k.values) { k.values.clear(); }

    void run() {
        for (const value& old : from_) {
            value v = old;
            for (int& in : v.in)
                if (in >= 0) in = now_[static_cast<std::size_t>(in)];
            if (shares_[now_.size()] != 0) {
                v.in[2] = reciprocal_of(v.in[1], v.node);
                v.op = &common_quotient;
            }
            now_.push_back(push(v));
        }
        for (kernel_store& s : k_.stores) s.value = now_[static_cast<std::size_t>(s.value)];
        for (inner_loop& l : k_.loops)
            for (int& r : l.reductions) r = now_[static_cast<std::size_t>(r)];
    }

    void share(std::size_t v) { shares_[v] = 1; }

private:
    int push(const value& v) {
        k_.values.push_back(v);
        return static_cast<int>(k_.values.size()) - 1;
    }

    int reciprocal_of(int divisor, int node) {
        const auto [found, is_new] = reciprocals_.try_emplace(divisor, -1);
        if (!is_new) return found->second;
        const value& d = k_.values[static_cast<std::size_t>(divisor)];
        value v;
        v.what = value_kind::elementwise;
        v.type = d.type;
        v.op = &common_reciprocal;
        v.in[0] = divisor;
        v.stage = d.stage;
        v.varies = d.varies;
        v.node = node;
        return found->second = push(v);
    }

    loop_nest& k_;
    const std::vector<value> from_;
    std::vector<char> shares_ = std::vector<char>(from_.size(), 0);
    std::vector<int> now_;
    std::map<int, int> reciprocals_;
};

}  // namespace

constexpr op_row common_reciprocal =
    make_quotient_row<shared_reciprocal_body, 1>("common_reciprocal", "shared_reciprocal<T>(x)");
constexpr op_row common_quotient = make_quotient_row<quotient_by_body, 3>("common_quotient", "quotient_by<T>(x, y, z)");

void share_reciprocals(loop_nest& k) {
    if (k.nest_axis >= 0) return;
    std::vector<std::size_t> found;
    for (std::size_t v = 0; v < k.values.size(); ++v)
        if (has_common_divisor(k, k.values[v])) found.push_back(v);
    if (found.empty()) return;
    divisor_sharing sharing(k);
    for (const std::size_t v : found) sharing.share(v);
    sharing.run();
}

}  // namespace sinter::codegen
