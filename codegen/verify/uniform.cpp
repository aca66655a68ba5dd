// A value's uniformity is the number of neighbouring threads, and of neighbouring blocks, that have the same value: a
// power of two. A computed value is as uniform as its least uniform operand; thread / 32 is the same for 32 threads. A
// loaded value is as uniform as its index: loads of global memory that other blocks write follow a ticket, and loads of
// shared memory follow a barrier.
#include <codegen/verify/changes.hpp>
#include <codegen/verify/uniform.hpp>
#include <codegen/verify/words.hpp>

#include <algorithm>

namespace sinter::codegen::device_ir {
namespace {

constexpr int whole = 1 << 20;

struct uniformity {
    int threads = whole, blocks = whole;
    bool operator==(const uniformity&) const = default;
};

uniformity least(const uniformity& a, const uniformity& b) {
    return {std::min(a.threads, b.threads), std::min(a.blocks, b.blocks)};
}

int power_of_two_in(std::int64_t n) { return n == 0 ? whole : static_cast<int>(std::min<std::int64_t>(n & -n, whole)); }

class uniformity_checker {
public:
    explicit uniformity_checker(const program& of)
        : p(of), variables_(of.variables.size()), arrays_(of.arrays.size()), values_(of.variables.size(), none) {}

    void check() {
        // iterate to a fixed point: a loop may use values that it assigns later
        do {
            changed_ = false;
            left_ = {};
            run(p.body, {});
        } while (changed_);
        checks_ = true;
        left_ = {};
        run(p.body, {});
    }

private:
    /// A value of the form thread / divisor (or block / divisor) plus `multiples` times a uniform value.
    struct quotient_of_number {
        std::int64_t divisor = 0;  ///< 0: the value has another form
        int multiples = whole;
    };

    uniformity& of_variable(id v) { return variables_[static_cast<std::size_t>(v)]; }
    uniformity& of_array(id a) { return arrays_[static_cast<std::size_t>(a)]; }

    void lower(uniformity& known, const uniformity& to) {
        const uniformity now = least(known, to);
        changed_ = changed_ || now != known;
        known = now;
    }

    id value_of_constant(const expression& e) const {
        return p.variable_at(e.of).is_constant ? values_[static_cast<std::size_t>(e.of)] : none;
    }

    /// A power of two that divides the value.
    int multiple(id at) const {
        const expression& e = p.at(at);
        if (e.kind == expression_kind::integer) return power_of_two_in(static_cast<std::int64_t>(e.value));
        if (e.kind == expression_kind::variable && value_of_constant(e) != none) return multiple(value_of_constant(e));
        if (e.kind != expression_kind::arithmetic) return 1;
        if (e.how == arithmetic_kind::multiply)
            return static_cast<int>(
                std::min<std::int64_t>(static_cast<std::int64_t>(multiple(e.in[0])) * multiple(e.in[1]), whole));
        if (e.how == arithmetic_kind::add || e.how == arithmetic_kind::subtract)
            return std::min(multiple(e.in[0]), multiple(e.in[1]));
        return 1;
    }

    quotient_of_number number(id at, expression_kind which) {
        const expression& e = p.at(at);
        if (e.kind == which) return {1, whole};
        if (e.kind == expression_kind::cast) return number(e.in[0], which);
        if (e.kind == expression_kind::variable && value_of_constant(e) != none)
            return number(value_of_constant(e), which);
        if (e.kind != expression_kind::arithmetic) return {};
        if (e.how == arithmetic_kind::divide && p.at(e.in[1]).kind == expression_kind::integer) {
            quotient_of_number q = number(e.in[0], which);
            const auto by = static_cast<std::int64_t>(p.at(e.in[1]).value);
            if (q.divisor == 0 || by <= 0 || q.multiples % by != 0) return {};
            if (q.multiples != whole) q.multiples /= static_cast<int>(by);
            return {q.divisor * by, q.multiples};
        }
        if (e.how != arithmetic_kind::add) return {};
        for (const auto& [own, other] : {std::pair{e.in[0], e.in[1]}, {e.in[1], e.in[0]}}) {
            const quotient_of_number q = number(own, which);
            if (q.divisor == 0) continue;
            const uniformity rest = of(other);
            if ((which == expression_kind::thread ? rest.threads : rest.blocks) != whole) return {};
            return {q.divisor, std::min(q.multiples, multiple(other))};
        }
        return {};
    }

    uniformity of_division(id at, const expression& e) {
        uniformity u = least(of(e.in[0]), of(e.in[1]));
        if (const quotient_of_number q = number(at, expression_kind::thread); q.divisor > 0)
            u.threads = std::max(u.threads, power_of_two_in(q.divisor));
        if (const quotient_of_number q = number(at, expression_kind::block); q.divisor > 0)
            u.blocks = std::max(u.blocks, power_of_two_in(q.divisor));
        return u;
    }

    uniformity of_element(const expression& e) {
        const array& a = p.array_at(e.of);
        uniformity u = a.where == space::shared ? uniformity{whole, 1} : of_array(e.of);
        for (const term& t : e.terms) {
            u = least(u, of(t.index));
            if (t.stride != none) u = least(u, of(t.stride));
        }
        for (id i : e.indices) u = least(u, of(i));
        return u;
    }

    uniformity of(id at) {
        const expression& e = p.at(at);
        uniformity u;
        switch (e.kind) {
            case expression_kind::thread: u.threads = 1; break;
            case expression_kind::block: u.blocks = 1; break;
            case expression_kind::variable: return of_variable(e.of);
            case expression_kind::element: return of_element(e);
            case expression_kind::peer: {
                u = of(e.in[1]);
                u.blocks = whole;  // every block reads the same block's element
                return least(u, of(e.in[0]));
            }
            case expression_kind::exchange: return of_exchange(e);
            case expression_kind::arithmetic:
                if (e.how == arithmetic_kind::divide) return of_division(at, e);
                break;
            default: break;
        }
        for (id in : e.in)
            if (in != none) u = least(u, of(in));
        for (id a : e.arguments) u = least(u, of(a));
        return u;
    }

    uniformity of_exchange(const expression& e) {
        const uniformity x = of(e.in[0]), lane = of(e.in[1]);
        uniformity u{x.threads >= e.width ? x.threads : 1, x.blocks};
        if (e.pattern == exchange_pattern::broadcast && lane.threads >= e.width)
            u.threads = std::max(u.threads, e.width);
        return least(u, {whole, lane.blocks});
    }

    void assign(id target, uniformity to) {
        const expression& e = p.at(target);
        if (e.kind == expression_kind::variable) return lower(of_variable(e.of), to);
        if (e.kind != expression_kind::element) return;
        for (id i : e.indices) to = least(to, of(i));
        if (p.array_at(e.of).where == space::registers) lower(of_array(e.of), to);
    }

    void call(id at, const uniformity& control) {
        const expression& e = p.at(at);
        if (e.kind != expression_kind::call) return;
        const uniformity result = least(of(at), control);
        for_each_reference(p, e, [&](id changed) { assign(changed, result); });
    }

    // ---- statements ----

    /// Exchanges in an expression need all lanes of their width.
    void check_exchanges(id at, const statement& s, const uniformity& control) {
        if (at == none) return;
        const expression& e = p.at(at);
        if (e.kind == expression_kind::exchange && least(control, left_).threads < std::min(e.width, p.block_threads))
            refuse(p, s, "an exchange to which not all lanes come: what decides it differs between them");
        for (id in : e.in) check_exchanges(in, s, control);
        for (id a : e.arguments) check_exchanges(a, s, control);
    }

    void check_barrier(const statement& s, const uniformity& control) {
        const uniformity here = least(control, left_);
        if (s.scope == barrier_scope::threads) return check_barrier_of_threads(s, here);
        if (here.threads < p.block_threads)
            refuse(p, s, "a barrier to which not all threads of the block come: what decides it differs between them");
        if (s.scope == barrier_scope::cluster && here.blocks < p.cluster)
            refuse(p, s, "a barrier to which not all blocks of the cluster come: what decides it differs between them");
    }

    void check_barrier_of_threads(const statement& s, const uniformity& here) {
        if (here.threads < s.count || p.block_threads < s.count)
            refuse(p, s, "a barrier to which not all of the first threads come: what decides it differs between them");
    }

    void check_warp(const statement& s, const uniformity& control) {
        if (least(control, left_).threads < 32 || p.block_threads % 32 != 0)
            refuse(p, s, "not all lanes come to what the whole warp does: what decides it differs between them");
    }

    /// The threads of a warpgroup come together, and name the same elements of shared memory.
    void check_warpgroup(const statement& s, const uniformity& control) {
        if (least(control, left_).threads < warpgroup_threads || p.block_threads % warpgroup_threads != 0)
            refuse(p, s, "not all threads come to what a warpgroup does: what decides it differs between them");
        if (s.kind != statement_kind::multiply_warpgroup) return;
        for (id factor : {s.value, s.limit})
            for (id i : p.at(factor).indices)
                if (of(i).threads < warpgroup_threads)
                    refuse(p, s, "a warpgroup's factor begins at an index that differs between its threads");
    }

    /// Threads that leave in a loop are missing from the beginning of its next iteration.
    void gather_leaving(const std::vector<statement>& all, const uniformity& control) {
        for (const statement& s : all) {
            if (s.kind == statement_kind::leave) left_ = least(left_, least(control, of(s.value)));
            const bool decides = s.kind == statement_kind::branch || s.kind == statement_kind::loop;
            const uniformity inner =
                decides ? least(control, of(s.kind == statement_kind::loop ? s.limit : s.value)) : control;
            gather_leaving(s.body, inner);
            gather_leaving(s.otherwise, inner);
        }
    }

    void run(const std::vector<statement>& all, const uniformity& control) {
        for (const statement& s : all) run(s, control);
    }

    void run(const statement& s, const uniformity& control) {
        if (checks_)
            for (id e : {s.value, s.limit, s.step}) check_exchanges(e, s, control);
        switch (s.kind) {
            case statement_kind::let:
                values_[static_cast<std::size_t>(s.of)] = s.value;
                if (s.value != none) lower(of_variable(s.of), of(s.value));
                return;
            case statement_kind::view: return lower(of_array(s.of), of(s.target));
            case statement_kind::carve:
                for (id e : {s.value, s.limit})
                    if (e != none) lower(of_array(s.of), of(e));
                return lower(of_array(s.of), of_array(s.target));
            case statement_kind::widen: return assign(s.target, {1, 1});
            case statement_kind::assign: return assign(s.target, least(of(s.value), control));
            case statement_kind::call: return call(s.value, control);
            case statement_kind::branch:
                run(s.body, least(control, of(s.value)));
                return run(s.otherwise, least(control, of(s.value)));
            case statement_kind::loop:
                lower(of_variable(s.of), least(of(s.value), s.step != none ? of(s.step) : uniformity{}));
                gather_leaving(s.body, least(control, of(s.limit)));
                return run(s.body, least(control, of(s.limit)));
            case statement_kind::scope: return run(s.body, control);
            case statement_kind::barrier:
                if (checks_) check_barrier(s, control);
                return;
            case statement_kind::leave: left_ = least(left_, least(control, of(s.value))); return;
            case statement_kind::ticket:
                if (s.of != none) lower(of_variable(s.of), {1, 1});
                return;
            case statement_kind::await: return assign(s.value, least(of(s.target), control));
            case statement_kind::set_registers:
                if (checks_) check_warpgroup(s, control);
                return;
            case statement_kind::init_barriers:
                if (checks_) check_barrier(s, control);
                return;
            case statement_kind::tensor_map:
                if (checks_) check_warp(s, control);
                return;
            case statement_kind::multiply_accumulate:
            case statement_kind::load_matrix:
                if (checks_) check_warp(s, control);
                return assign(s.target, {1, 1});
            case statement_kind::begin_products:
            case statement_kind::multiply_warpgroup:
            case statement_kind::commit_products:
            case statement_kind::wait_products:
                if (checks_) check_warpgroup(s, control);
                if (s.kind == statement_kind::multiply_warpgroup) assign(s.target, {1, 1});
                return;
            case statement_kind::commit_copies:
            case statement_kind::wait_copies:
                if (checks_) check_warp(s, control);
                return;
            default: return;
        }
    }

    const program& p;
    std::vector<uniformity> variables_, arrays_;
    std::vector<id> values_;  ///< per variable: the value of its declaration
    uniformity left_;         ///< uniformity of the conditions under which threads have left
    bool changed_ = false, checks_ = false;
};

}  // namespace

void check_uniform(const program& p) { uniformity_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
