// Explains expressions given as text.
#include <codegen/schedule/target_presets.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/launch/explain.hpp>
#include <sinter/device.hpp>
#include <sinter/error.hpp>
#include <tools/explain/reader.hpp>
#include <tools/explain/request.hpp>

namespace sinter::spoken {
namespace {

int arch_of(const std::string& text) {
    const std::string digits = text.rfind("sm_", 0) == 0 ? text.substr(3) : text;
    if (digits.empty() || digits.size() > 3 || digits.find_first_not_of("0123456789") != std::string::npos)
        throw error("--arch " + text + ": write it as, for example, sm_80");
    return std::stoi(digits);
}

/// Calls read(), and marks the position of a problem in the text.
template <class F>
auto marked(const std::string& text, F read) {
    try {
        return read();
    } catch (const problem& p) {
        throw error(with_marks(text, p));
    }
}

}  // namespace

lowered read_request(const std::string& expression, const std::vector<std::string>& operands) {
    operand_table table;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const std::string& text = operands[i];
        if (!table.insert(marked(text, [&] { return read_operand(text, i); })).second)
            throw error("the operand '" + text + "' has the name of an earlier operand; give it another name");
    }
    return marked(expression, [&] { return lower(read_expression(expression, table)); });
}

codegen::device_properties properties_for(const std::string& arch) {
    if (!arch.empty()) return codegen::preset_of(arch_of(arch));
    return current_device().is_host() ? codegen::device_properties{} : current_device().get().properties();
}

explanation explain(const lowered& expression, const codegen::device_properties& m) {
    return codegen::explain_for(m, expression.program(), expression.arguments());
}

std::string heading_of(const std::string& expression, const std::vector<std::string>& operands) {
    std::string text = expression;
    for (const std::string& operand : operands) text += (&operand == &operands[0] ? " of " : ", ") + operand;
    return text;
}

}  // namespace sinter::spoken
