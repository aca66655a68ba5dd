// Which expressions statements and calls change, besides their declarations.
#pragma once

#include <codegen/device/program.hpp>

#include <cstddef>

namespace sinter::codegen::device_ir {

/// Calls f(expression) for each variable or element that a call takes by reference.
template <class F>
void for_each_reference(const program& p, const expression& call, F f) {
    const function& called = p.function_at(call.of);
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
        if (called.parameters[i].how == function_parameter::passed::reference) f(call.arguments[i]);
}

/// Calls f(expression) for each variable, element or array that a statement changes, excluding nested statements.
template <class F>
void for_each_changed(const program& p, const statement& s, F f) {
    if (s.kind == statement_kind::assign) f(s.target);
    if (s.kind == statement_kind::await) f(s.value);
    if (s.kind == statement_kind::multiply_accumulate || s.kind == statement_kind::load_matrix ||
        s.kind == statement_kind::async_copy || s.kind == statement_kind::multiply_warpgroup ||
        s.kind == statement_kind::realign || s.kind == statement_kind::widen ||
        s.kind == statement_kind::init_barriers || s.kind == statement_kind::tensor_map ||
        s.kind == statement_kind::copy_box)
        f(s.target);
    if (s.kind == statement_kind::call) for_each_reference(p, p.at(s.value), f);
}

}  // namespace sinter::codegen::device_ir
