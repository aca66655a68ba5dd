// Launches one kernel of a plan, or the library call in its place.
#pragma once

#include <codegen/ir/print.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/launch/plan.hpp>
#include <runtime/system/small_vector.hpp>

#include <fmt/format.h>

namespace sinter::codegen {

/// Launches a step on the current stream. `input(kernel_input)` gives an input's address; `scalars`: the program's.
template <class Inputs>
void launch_step(const plan_step& step, const Inputs& input, const ir::scalar_bits* scalars, void* const* outputs,
                 kernel_device& where) {
    const std::size_t count = step.ready->parameters.size();
    small_vector<std::uint64_t, 64> values(count);
    small_vector<void*, 64> pointers(count);

    for (std::size_t i = 0; i < count; ++i) {
        const parameter& p = step.ready->parameters[i];
        switch (p.what) {
            case parameter::kind::output: values[i] = reinterpret_cast<std::uint64_t>(outputs[p.index]); break;
            case parameter::kind::input:
                values[i] = reinterpret_cast<std::uint64_t>(input(step.body.inputs[static_cast<std::size_t>(p.index)]));
                break;
            case parameter::kind::scalar:
                if (const int of_program = step.body.scalars[static_cast<std::size_t>(p.index)]; of_program >= 0) {
                    // by address: a complex number is wider than other scalars
                    pointers[i] = const_cast<ir::scalar_bits*>(&scalars[of_program]);
                    continue;
                }
                values[i] = scalar_argument(step.body, static_cast<std::size_t>(p.index), scalars).bits;
                break;
            case parameter::kind::workspace: values[i] = reinterpret_cast<std::uint64_t>(step.scratch->here()); break;
            default: values[i] = step.fixed[i]; break;
        }
        pointers[i] = &values[i];
    }
    if (step.shape.grid.x <= 0) return;
    named_launch(
        where,
        [&] {
            return fmt::format("the kernel {}<<<{}, {}>>> of {}", step.ready->name, step.shape.grid.x,
                               step.shape.block.x, expression_text(step.body));
        },
        [&] { where.launch(step.ready->loaded, step.shape, pointers.data()); });
}

/// Likewise for a step that the device's library computes.
template <class Inputs>
void call_library(const plan_step& step, const Inputs& input, const ir::scalar_bits* scalars, void* const* outputs,
                  device& where) {
    const gemm& g = step.product;
    const auto at = [&](int i) {
        return i < 0 ? nullptr : static_cast<char*>(input(step.body.inputs[static_cast<std::size_t>(i)]));
    };
    const gemm_pointers first{at(g.a.input), at(g.b.input), at(g.c.input), at(g.bias), static_cast<char*>(outputs[0])};
    const ir::scalar_bits alpha = gemm_factor(step.body, g, g.alpha, scalars);
    const ir::scalar_bits beta = g.c.input < 0 ? ir::scalar_bits{} : gemm_factor(step.body, g, g.beta, scalars);
    named_launch(
        where, [&] { return "the library's call for " + expression_text(step.body); },
        [&] { for_each_call(g, first, [&](const gemm_pointers& p) { step.library->run(p, alpha, beta); }); });
}

}  // namespace sinter::codegen
