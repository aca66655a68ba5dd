// Attaches element functions to the kernels among whose arguments they are.
#include <codegen/functions/fused_call.hpp>

#include <codegen/ir/element_functions.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/schedule/forms.hpp>

#include <fmt/format.h>

namespace sinter::codegen {
namespace {

/// The functions among a kernel's arguments, as indices into loop_nest::element_functions; -1: none.
struct used_functions {
    std::array<int, ir::max_operands> operands;
    std::array<int, ir::max_call_results> results;

    used_functions(const call_site& call, const std::vector<call_argument>& arguments) {
        operands.fill(-1);
        results.fill(-1);
        for (const call_argument& a : arguments) {
            const auto index = static_cast<std::size_t>(a.index);
            if (a.what == call_argument::kind::operand && is_computed(call, a.index))
                operands[index] = operand_function(call, a.index);
            if (a.what == call_argument::kind::result && is_consumed(call, a.index))
                results[index] = result_function(call, a.index);
        }
    }

    std::string key(const std::vector<std::string>& keys) const {
        std::string all;
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (operands[i] >= 0) all += fmt::format("\nload_{} {}", i, keys[static_cast<std::size_t>(operands[i])]);
        for (std::size_t i = 0; i < results.size(); ++i)
            if (results[i] >= 0) all += fmt::format("\nstore_{} {}", i, keys[static_cast<std::size_t>(results[i])]);
        return all;
    }

    argument_functions of(const std::vector<printed_element>& all) const {
        argument_functions found;
        for (std::size_t i = 0; i < operands.size(); ++i)
            if (operands[i] >= 0) found.operands[i] = &all[static_cast<std::size_t>(operands[i])];
        for (std::size_t i = 0; i < results.size(); ++i)
            if (results[i] >= 0) found.results[i] = &all[static_cast<std::size_t>(results[i])];
        return found;
    }
};

}  // namespace

fused_call kernels_of_call(const loop_nest& k, const device_properties& m) {
    const call_site& call = *k.call;
    fused_call made;
    made.launches = call.callee->body->kernels(call, m);
    if (k.element_functions.empty()) return made;
    std::vector<std::string> keys;
    const auto add = [&](const loop_nest& function, const std::string& name, const std::string& what) {
        made.schedules.push_back(element_schedule(function));
        const int given = given_input(function);
        const kernel_class c = class_of(function, made.schedules.back());
        keys.push_back(fmt::format("{} {}", given, key_of(c)));
        made.functions.push_back(print_element(c, given, name, what + expression_text(function)));
    };
    for (int i = 0; i < ir::max_operands; ++i)
        if (is_computed(call, i))
            add(k.element_functions[static_cast<std::size_t>(operand_function(call, i))], fmt::format("load_{}", i),
                fmt::format("An element of operand {}, which is not stored: ", i));
    for (int i = 0; i < ir::max_call_results; ++i)
        if (is_consumed(call, i))
            add(k.element_functions[static_cast<std::size_t>(result_function(call, i))], fmt::format("store_{}", i),
                fmt::format("What is stored of an element of result {}: ", i));
    const auto functions = std::make_shared<const std::vector<printed_element>>(made.functions);
    for (call_launch& one : made.launches.kernels) {
        const used_functions used(call, one.arguments);
        one.key += used.key(keys);
        one.source = [source = std::move(one.source), used, functions](const argument_functions&) {
            return source(used.of(*functions));
        };
    }
    return made;
}

}  // namespace sinter::codegen
