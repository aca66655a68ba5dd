// Device programs of sample kernels, and small changes that make them wrong.
#pragma once

#include <codegen/lower/lower.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/verify/verify.hpp>
#include <sinter/error.hpp>
#include <tests/codegen/kernel_samples.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

using namespace device_ir;

inline kernel_class class_chosen(const loop_nest& k) {
    return class_of(k, choose_schedule(k, device_properties{}, std::vector<int>(8, 16)));
}

/// A program and what its launch promises.
struct lowered_kernel : program {
    launch_promises promises;
};

inline lowered_kernel lowered(const kernel_class& c) {
    const program p = lower::lower(c);
    return {p, lower::promises_of(c, p)};
}
inline lowered_kernel lowered(const loop_nest& k) { return lowered(class_chosen(k)); }

/// What the verifier refuses a program for; "" where it does not.
inline std::string fault_of(const lowered_kernel& k) {
    try {
        verify(k, k.promises);
        return "";
    } catch (const error& e) {
        return e.what();
    }
}

/// The indices without a proof.
inline std::string unproved_of(const lowered_kernel& k) {
    std::string all;
    for (const std::string& one : verify(k, k.promises)) all += one + "\n";
    return all;
}

inline void visit(std::vector<statement>& all, const std::function<void(statement&)>& use) {
    for (statement& s : all) {
        use(s);
        visit(s.body, use);
        visit(s.otherwise, use);
    }
}

/// The n-th statement of a kind, the outer ones first.
inline statement& nth(program& p, statement_kind kind, int n = 0) {
    statement* found = nullptr;
    visit(p.body, [&](statement& s) {
        if (s.kind == kind && n-- == 0) found = &s;
    });
    if (found == nullptr) throw std::out_of_range("no such statement");
    return *found;
}

inline expression& at(program& p, id e) { return p.expressions[static_cast<std::size_t>(e)]; }

/// The expression of a kind that a program has first.
inline id first(const program& p, expression_kind kind) {
    for (id e = 0; e < static_cast<id>(p.expressions.size()); ++e)
        if (p.at(e).kind == kind) return e;
    throw std::out_of_range("no such expression");
}

inline id add(program& p, const expression& e) {
    p.expressions.push_back(e);
    return static_cast<id>(p.expressions.size()) - 1;
}

inline id integer(program& p, std::int64_t value) {
    expression e;
    e.kind = expression_kind::integer;
    e.type = dtype::int32;
    e.is_index = true;
    e.value = static_cast<std::uint64_t>(value);
    return add(p, e);
}

inline id arithmetic_of(program& p, arithmetic_kind how, id a, id b, dtype type) {
    expression e;
    e.kind = expression_kind::arithmetic;
    e.how = how;
    e.type = type;
    e.is_index = true;
    e.in = {a, b, none};
    return add(p, e);
}

inline id thread_is_first(program& p) {
    expression e;
    e.kind = expression_kind::thread;
    e.type = dtype::uint32;
    e.is_index = true;
    const id thread = add(p, e);
    return arithmetic_of(p, arithmetic_kind::equal, thread, integer(p, 0), dtype::bool_);
}

inline lowered_kernel exponentials() { return lowered(exp_of(1 << 25)); }
inline lowered_kernel transposition() { return lowered(plus_transposed(8192, 8192)); }

}  // namespace sinter::codegen::testing
