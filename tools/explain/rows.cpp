// The functions that are rows of the op table.
#include <sinter/op/functions.hpp>
#include <tools/explain/reader.hpp>

namespace sinter::spoken {
namespace {

constexpr const op_row* rows[] = {
#define UNARY(name, rule, ...) &op::name::row,
#define BINARY(name, rule, ...) &op::name::row,
#define TERNARY(name, rule, ...) &op::name::row,
#define PREFIX(name, symbol, rule, ...) &op::name::row,
#define INFIX(name, symbol, rule, ...) &op::name::row,
#define REDUCTION(name, rule, empty, identity, ...) &op::name::row,
#include <sinter/op/table.def>
};

node_ref reduced(const op_row& row, const call& c) {
    const std::string usage = std::string(row.name) + "(x, axis=1, keepdims, where=mask, initial=0)";
    c.takes(1, 1, {"axis", "keepdims", "where", "initial"}, usage.c_str());
    const node_ref in = c.array(0);
    number initial;
    reduce_options options{c.axes(in->rank), c.has("keepdims"), nullptr, nullptr};
    if (c.has("where")) options.mask = c.array_option("where");
    if (c.has("initial")) {
        initial = c.number_option("initial");
        options.initial = &initial;
    }
    return reduce(row, in, options);
}

node_ref mapped(const op_row& row, const call& c) {
    const char* const operands[] = {"(x)", "(x, y)", "(x, y, z)"};
    const std::string usage = row.name + std::string(operands[row.arity - 1]);
    c.takes(row.arity, row.arity, {}, usage.c_str());
    const std::vector<argument> values = c.values();
    bool any = false;
    for (const argument& a : values) any = any || std::holds_alternative<node_ref>(a);
    if (!any) static_cast<void>(c.array(0));  // says what is wrong
    return applied(row, values);
}

}  // namespace

void add_rows(function_table& all) {
    for (const op_row* row : rows) {
        if (row->symbol != nullptr && row != &op::remainder::row) continue;  // operators have no other name
        all.emplace(row->name, [row](const call& c) { return row->is_reduction ? reduced(*row, c) : mapped(*row, c); });
    }
}

const function_table& functions() {
    static const function_table all = [] {
        function_table made;
        add_elementwise_composites(made);
        add_reducing_composites(made);
        add_views(made);
        add_rows(made);
        return made;
    }();
    return all;
}

}  // namespace sinter::spoken
