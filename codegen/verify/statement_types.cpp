// Checks each statement: what it uses is in scope, and what it assigns may change and has the right dtype.
#include <codegen/verify/changes.hpp>
#include <codegen/verify/well_formed.hpp>
#include <codegen/verify/words.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::device_ir {
namespace {

class statement_checker {
public:
    explicit statement_checker(const program& of)
        : p(of), variables_(of.variables.size(), unseen), arrays_(of.arrays.size(), unseen) {}

    void check() {
        for (const function& f : p.functions) check_function(f);
        for (const kernel_parameter& k : p.parameters)
            declare(takes_array(k.what.what) ? arrays_ : variables_, k.of, statement{});
        check_all(p.body);
    }

private:
    enum state : char { unseen, visible, gone };

    void check_function(const function& f) {
        const std::size_t mark = declared_.size();
        for (const function_parameter& one : f.parameters) {
            if (one.how == function_parameter::passed::reference) references_.push_back(one.of);
            declare(one.how == function_parameter::passed::pointer ? arrays_ : variables_, one.of, statement{});
        }
        for (const statement& s : f.body) check(s);
        statement value;
        value.kind = statement_kind::call;
        value.value = f.value;
        if (f.has_value) use(f.value, value);
        if (f.has_value && p.at(f.value).type != f.type) refuse(p, value, "a function's value has another dtype");
        leave(mark);
    }

    void declare(std::vector<state>& table, id of, const statement& s) {
        if (of < 0 || of >= static_cast<id>(table.size())) refuse(p, s, "it declares nothing");
        state& now = table[static_cast<std::size_t>(of)];
        if (now != unseen) refuse(p, s, "it is declared twice");
        now = visible;
        declared_.push_back(&now);
    }

    void leave(std::size_t mark) {
        for (; declared_.size() > mark; declared_.pop_back()) *declared_.back() = gone;
    }

    /// Checks that everything in an expression is in scope.
    void use(id at, const statement& s) {
        if (at < 0 || at >= static_cast<id>(p.expressions.size())) refuse(p, s, "it lacks an expression");
        const expression& e = p.at(at);
        if (e.kind == expression_kind::variable && variables_[static_cast<std::size_t>(e.of)] != visible)
            refuse(p, s, fmt::format("{} is not in scope", words(p, at)));
        if (e.kind == expression_kind::element && arrays_[static_cast<std::size_t>(e.of)] != visible)
            refuse(p, s, fmt::format("the array of {} is not in scope", words(p, at)));
        if (e.kind == expression_kind::element && !(s.kind == statement_kind::await && at == s.value))
            check_indices(e, s);
        if (e.kind == expression_kind::call) for_each_reference(p, e, [&](id changed) { change(changed, s); });
        for (id in : e.in)
            if (in != none) use(in, s);
        for (const term& t : e.terms) {
            use(t.index, s);
            if (t.stride != none) use(t.stride, s);
        }
        for (id i : e.indices) use(i, s);
        for (id a : e.arguments) use(a, s);
    }

    /// Only `await` takes a whole array.
    void check_indices(const expression& e, const statement& s) {
        const array& a = p.array_at(e.of);
        if (a.where == space::registers && e.indices.size() < a.extents.size()) refuse(p, s, "it lacks indices");
    }

    /// Checks that a statement may change this memory.
    void change(id at, const statement& s) {
        const expression& e = p.at(at);
        if (e.kind == expression_kind::variable) {
            const bool is_reference = std::find(references_.begin(), references_.end(), e.of) != references_.end();
            if (p.variable_at(e.of).is_constant && !is_reference) refuse(p, s, "it changes a constant");
        } else if (e.kind == expression_kind::element) {
            if (p.array_at(e.of).read_only) refuse(p, s, "it stores to what is only read");
        } else if (e.kind != expression_kind::peer) {
            refuse(p, s, "it assigns to what is no memory");
        }
    }

    /// Checks a value of one element that is converted to `type`.
    void use_as(id value, dtype type, bool is_index, const statement& s) {
        use(value, s);
        const expression& e = p.at(value);
        const bool converts = (is_index || e.is_index) && (is_integer(e.type) || e.type == dtype::bool_) &&
                              (is_integer(type) || type == dtype::bool_);
        if (e.type != type && !converts) refuse(p, s, "the two sides have different dtypes");
    }
    void use_condition(id value, const statement& s) {
        use(value, s);
        if (p.at(value).type != dtype::bool_ || p.at(value).count != 1) refuse(p, s, "its condition is no bool");
    }
    void use_index(id value, const statement& s) {
        use(value, s);
        if (!is_integer(p.at(value).type)) refuse(p, s, "an index that is no integer");
    }

    void check_all(const std::vector<statement>& all) {
        const std::size_t mark = declared_.size();
        for (const statement& s : all) check(s);
        leave(mark);
    }

    void check(const statement& s) {
        switch (s.kind) {
            case statement_kind::comment:
            case statement_kind::blank:
            case statement_kind::fence: return;
            case statement_kind::let: return let(s);
            case statement_kind::declare:
                declare(arrays_, s.of, s);
                if (p.array_at(s.of).where == space::global) refuse(p, s, "memory is given");
                if (p.array_at(s.of).swizzled) swizzled(p.array_at(s.of), s);
                if (p.array_at(s.of).is_barrier && size_of(p.array_at(s.of).type) != 8)
                    refuse(p, s, "a phase barrier has 8 bytes");
                return;
            case statement_kind::view: return view(s);
            case statement_kind::carve: return carve(s);
            case statement_kind::assign: return assign(s);
            case statement_kind::call:
                use(s.value, s);
                if (p.at(s.value).kind != expression_kind::call) refuse(p, s, "it calls no function");
                return;
            case statement_kind::branch:
                use_condition(s.value, s);
                check_all(s.body);
                return check_all(s.otherwise);
            case statement_kind::loop: return loop(s);
            case statement_kind::scope: return check_all(s.body);
            case statement_kind::leave: return use_condition(s.value, s);
            case statement_kind::multiply_accumulate: return multiply_accumulate(s);
            case statement_kind::realign: return realign(s);
            case statement_kind::widen: return widen(s);
            case statement_kind::load_matrix: return load_matrix(s);
            case statement_kind::async_copy: return async_copy(s);
            case statement_kind::set_registers:
                if (s.count < 24 || s.count > 256 || s.count % 8 != 0)
                    refuse(p, s, "a thread has no such number of registers");
                return;
            case statement_kind::init_barriers:
            case statement_kind::arrive: return use_barrier(s.target, s);
            case statement_kind::wait_phase: use_barrier(s.target, s); return use_index(s.value, s);
            case statement_kind::tensor_map: return tensor_map(s);
            case statement_kind::copy_box: return copy_box(s);
            case statement_kind::begin_products:
                if (s.target != none) use_fragment(s.target, dtype::float32, s);
                if (s.value != none) use_fragment(s.value, p.at(s.value).type, s);
                return;
            case statement_kind::multiply_warpgroup: return multiply_warpgroup(s);
            case statement_kind::wait_products: return use_fragment(s.target, dtype::float32, s);
            case statement_kind::commit_products:
            case statement_kind::fence_shared:
            case statement_kind::commit_copies: return;
            case statement_kind::wait_copies:
                if (s.count < 0) refuse(p, s, "it waits for no number of groups");
                return;
            default: return check_of_blocks(s);
        }
    }

    void let(const statement& s) {
        if (s.of < 0 || s.of >= static_cast<id>(p.variables.size())) refuse(p, s, "it declares nothing");
        const variable& v = p.variable_at(s.of);
        if (s.value != none) {
            use_as(s.value, v.type, v.is_index, s);
            if (p.at(s.value).count != 1) refuse(p, s, "a variable is one element");
        } else if (v.is_constant) {
            refuse(p, s, "a constant without a value");
        }
        declare(variables_, s.of, s);
    }

    void view(const statement& s) {
        use(s.target, s);
        declare(arrays_, s.of, s);
        const expression& e = p.at(s.target);
        const array& part = p.array_at(s.of);
        if (e.kind != expression_kind::element || part.type != e.type) refuse(p, s, "it is part of no such array");
        const array& whole = p.array_at(e.of);
        if (whole.where != space::global || part.where != space::global) refuse(p, s, "it is not in global memory");
        if (whole.read_only && !part.read_only) refuse(p, s, "it may store to what is only read");
    }

    void carve(const statement& s) {
        if (s.target < 0 || s.target >= static_cast<id>(p.arrays.size()) ||
            arrays_[static_cast<std::size_t>(s.target)] != visible)
            refuse(p, s, "the bytes are not in scope");
        if (s.value != none) use_index(s.value, s);
        if (s.limit != none) use_index(s.limit, s);
        declare(arrays_, s.of, s);
    }

    void assign(const statement& s) {
        use(s.target, s);
        change(s.target, s);
        const expression& target = p.at(s.target);
        use_as(s.value, target.type, target.is_index, s);
        if (p.at(s.value).count != target.count) refuse(p, s, "the two sides have different counts of elements");
    }

    /// Checks a lane's part of a fragment of 16 x 16 elements.
    void use_fragment(id fragment, dtype type, const statement& s) {
        use(fragment, s);
        const expression& e = p.at(fragment);
        if (e.kind != expression_kind::element || p.array_at(e.of).where != space::registers || e.type != type ||
            e.count != fragment_elements || p.array_at(e.of).packed != fragment_elements)
            refuse(p, s, fmt::format("{} is no fragment of {}", words(p, fragment), name(type)));
    }

    /// Lines of 128 bytes, whose pattern repeats after 8.
    void swizzled(const array& a, const statement& s) {
        const std::vector<int>& n = a.extents;
        if (a.where != space::shared || a.packed != 1 || size_of(a.type) > 2 || n.size() < 2 ||
            n.back() != swizzled_elements_of(a.type) || n[n.size() - 2] % 8 != 0 || a.alignment % 1024 != 0 ||
            a.alignment == 0)
            refuse(p, s, "it has no lines of 128 bytes that could be swizzled");
    }

    void use_swizzled(id first, dtype type, const statement& s) {
        use(first, s);
        const expression& e = p.at(first);
        if (e.kind != expression_kind::element || !p.array_at(e.of).swizzled || e.type != type)
            refuse(p, s, fmt::format("{} is not in a swizzled array of {}", words(p, first), name(type)));
    }

    void multiply_warpgroup(const statement& s) {
        const dtype type = p.at(s.limit).type;
        use_fragment(s.target, dtype::float32, s);
        const expression& sums = p.at(s.target);
        const array& all = p.array_at(sums.of);
        if (all.extents.empty() || all.extents.back() != s.count || s.count > 16 ||
            p.at(sums.indices.back()).kind != expression_kind::integer || p.at(sums.indices.back()).value != 0)
            refuse(p, s, "its sums are no whole row of fragments");
        const expression& left = p.at(s.value);
        if (left.kind == expression_kind::element && p.array_at(left.of).where == space::registers)
            use_fragment(s.value, type, s);
        else
            use_swizzled(s.value, is_float8(type) && is_float8(left.type) ? left.type : type, s);
        use_swizzled(s.limit, type, s);
        if (!is_half(type) && !is_float8(type)) refuse(p, s, "its factors are not of a half type or float8");
        if (is_float8(type) && (s.transposed || s.transposed_left || p.array_at(left.of).where != space::shared))
            refuse(p, s, "its factors of float8 numbers do not both lie along the steps in shared memory");
        if (s.step != none) use_condition(s.step, s);
        change(s.target, s);
    }

    void multiply_accumulate(const statement& s) {
        use_fragment(s.target, dtype::float32, s);
        use_fragment(s.value, p.at(s.limit).type, s);
        use_fragment(s.limit, p.at(s.limit).type, s);
        if (!is_half(p.at(s.limit).type)) refuse(p, s, "its factors are not of a half type");
        change(s.target, s);
    }

    void load_matrix(const statement& s) {
        use(s.value, s);
        const expression& row = p.at(s.value);
        if (row.kind != expression_kind::element || p.array_at(row.of).where != space::shared ||
            row.count != fragment_elements || size_of(row.type) != 2)
            refuse(p, s, "a row of a matrix is 8 elements of 2 bytes in shared memory");
        use_fragment(s.target, row.type, s);
        change(s.target, s);
    }

    void realign(const statement& s) {
        use(s.target, s);
        use(s.value, s);
        use_index(s.limit, s);
        const expression &to = p.at(s.target), &from = p.at(s.value);
        for (const expression* e : {&to, &from})
            if (e->kind != expression_kind::element || p.array_at(e->of).where != space::registers || e->count < 2)
                refuse(p, s, "it realigns what are no neighbours in registers");
        const std::vector<int>& vectors = p.array_at(from.of).extents;
        if (to.type != from.type || to.count != from.count || vectors.empty() || vectors.back() != 2 ||
            p.at(from.indices.back()).kind != expression_kind::integer || p.at(from.indices.back()).value != 0)
            refuse(p, s, "it does not take neighbours from two vectors of as many");
        change(s.target, s);
    }

    void widen(const statement& s) {
        for (id e : {s.target, s.value, s.limit}) {
            if (e == none) continue;
            use(e, s);
            const expression& x = p.at(e);
            if (x.kind != expression_kind::element || p.array_at(x.of).where != space::registers || x.count != 8)
                refuse(p, s, "it widens what are no 8 neighbours in registers");
        }
        const expression &to = p.at(s.target), &from = p.at(s.value);
        const bool are_bytes = from.type == dtype::int8 || from.type == dtype::uint8;
        if (!are_bytes || !p.array_at(from.of).words) refuse(p, s, "it widens what are no bytes in words");
        const bool to_halves = to.type == dtype::float16;
        if ((!to_halves && to.type != dtype::float32) || (s.limit != none && !to_halves) ||
            (s.limit != none && p.at(s.limit).type != dtype::float16))
            refuse(p, s, "it makes neither float32 numbers nor float16 ones times such");
        change(s.target, s);
    }

    void async_copy(const statement& s) {
        use(s.target, s);
        use(s.value, s);
        use_condition(s.limit, s);
        const expression &to = p.at(s.target), &from = p.at(s.value);
        if (to.kind != expression_kind::element || p.array_at(to.of).where != space::shared)
            refuse(p, s, "it copies to what is not in shared memory");
        if (from.kind != expression_kind::element || p.array_at(from.of).where != space::global)
            refuse(p, s, "it copies what is not in global memory");
        const std::size_t bytes = size_of(to.type) * static_cast<std::size_t>(to.count);
        if (to.type != from.type || to.count != from.count || (bytes != 4 && bytes != 8 && bytes != 16))
            refuse(p, s, "it does not copy 4, 8 or 16 bytes of one dtype");
    }

    void use_barrier(id barrier, const statement& s) {
        use(barrier, s);
        const expression& e = p.at(barrier);
        if (e.kind != expression_kind::element || !p.array_at(e.of).is_barrier || s.count < 0)
            refuse(p, s, fmt::format("{} is no phase barrier", words(p, barrier)));
    }

    /// Of 1 or 2 bytes per element, in lines: the first term is contiguous, all others have a stride.
    void tensor_map(const statement& s) {
        for (id e : {s.target, s.value}) use(e, s);
        const expression &to = p.at(s.target), &from = p.at(s.value);
        for (const expression* e : {&to, &from})
            if (e->kind != expression_kind::element || p.array_at(e->of).where != space::global)
                refuse(p, s, "neither a map nor what it maps is in anything but global memory");
        const auto is_strided = [](const term& t) { return t.stride != none; };
        if (size_of(from.type) > 2 || from.terms.size() < 2 || from.terms.size() > max_box_axes ||
            is_strided(from.terms[0]) || !std::all_of(from.terms.begin() + 1, from.terms.end(), is_strided))
            refuse(p, s, "it maps what are no lines of elements of 1 or 2 bytes");
        if (to.terms.size() != from.terms.size()) refuse(p, s, "it does not say how far each term goes");
    }

    void copy_box(const statement& s) {
        use(s.value, s);
        use_barrier(s.limit, s);
        use_swizzled(s.target, p.at(s.target).type, s);
        const expression& box = p.at(s.value);
        if (box.kind != expression_kind::element || p.array_at(box.of).where != space::global || box.terms.size() < 2 ||
            box.terms.size() > max_box_axes)
            refuse(p, s, "a box has a first neighbour and a first line");
    }

    void loop(const statement& s) {
        use_index(s.value, s);
        const std::size_t mark = declared_.size();
        declare(variables_, s.of, s);
        if (p.variable_at(s.of).is_constant) refuse(p, s, "its counter is a constant");
        use_condition(s.limit, s);
        if (s.factor == 0) use_index(s.step, s);
        check_all(s.body);
        leave(mark);
    }

    void check_of_blocks(const statement& s) {
        if (s.kind == statement_kind::barrier && s.scope != barrier_scope::blocks) return;
        for (id e : {s.target, s.value, s.limit, s.step})
            if (e != none) use(e, s);
        if (s.kind == statement_kind::ticket && s.of != none) declare(variables_, s.of, s);
    }

    const program& p;
    std::vector<state> variables_, arrays_;
    std::vector<id> references_;    ///< function parameters that refer to variables of the caller
    std::vector<state*> declared_;  ///< in order; a scope removes its own at its end
};

}  // namespace

void check_statements(const program& p) { statement_checker(p).check(); }

}  // namespace sinter::codegen::device_ir
