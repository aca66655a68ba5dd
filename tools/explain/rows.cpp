// Functions that are rows of the op table: elementwise ops, reductions and scans.
#include <sinter/error.hpp>
#include <sinter/op/functions.hpp>
#include <tools/explain/reader.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::spoken {
namespace {

constexpr const op_row* rows[] = {
#define SINTER_ROW_UNARY(name, rule, ...) &op::name::row,
#define SINTER_ROW_BINARY(name, rule, ...) &op::name::row,
#define SINTER_ROW_TERNARY(name, rule, ...) &op::name::row,
#define SINTER_ROW_PREFIX(name, symbol, rule, ...) &op::name::row,
#define SINTER_ROW_INFIX(name, symbol, rule, ...) &op::name::row,
#define SINTER_ROW_REDUCTION(name, rule, empty, identity, ...) &op::name::row,
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
    if (!any) static_cast<void>(c.array(0));  // throws the right error
    return applied(row, values);
}

node_ref running(const op_row& row, const call& c, std::size_t operand, const char* usage) {
    c.takes(operand + 1, operand + 1, {"axis", "exclusive", "reverse"}, usage);
    const node_ref in = c.array(operand);
    return scan(row, in, in->rank == 1 && !c.has("axis") ? 0 : c.axis(in->rank), c.has("exclusive"), c.has("reverse"));
}

void add_scans(function_table& all) {
    const auto add = [&](const char* name, const op_row& row) {
        const std::string usage = std::string(name) + "(x, axis=1, exclusive, reverse)";
        all.emplace(name, [&row, usage](const call& c) { return running(row, c, 0, usage.c_str()); });
    };
    add("cumsum", op::sum::row);
    add("cumprod", op::prod::row);
    add("cummax", op::max::row);
    add("cummin", op::min::row);
    all.emplace("scan", [](const call& c) {
        constexpr const char* usage = "scan(max, x, axis=1, exclusive, reverse), for any reduction";
        const std::string wanted = c.count() > 0 ? c.written(0).text : "";
        const auto row = std::find_if(std::begin(rows), std::end(rows),
                                      [&](const op_row* r) { return r->is_reduction && wanted == r->name; });
        if (row == std::end(rows)) throw error(std::string("scan does not take these arguments: write ") + usage);
        return running(**row, c, 1, usage);
    });
}

/// Operators that also have a function name.
bool has_name(const op_row& row) {
    return row.symbol == nullptr || &row == &op::remainder::row || &row == &op::negative::row ||
           &row == &op::logical_and::row || &row == &op::logical_or::row || &row == &op::logical_not::row;
}

}  // namespace

void add_rows(function_table& all) {
    add_scans(all);
    for (const op_row* row : rows) {
        if (!has_name(*row)) continue;
        all.emplace(row->name, [row](const call& c) { return row->is_reduction ? reduced(*row, c) : mapped(*row, c); });
    }
}

const function_table& functions() {
    static const function_table all = [] {
        function_table made;
        add_elementwise_composites(made);
        add_reducing_composites(made);
        add_norms(made);
        add_views(made);
        add_windows(made);
        add_generators(made);
        add_products(made);
        add_writing(made);
        add_bodies(made);
        add_derivatives(made);
        add_rows(made);
        return made;
    }();
    return all;
}

}  // namespace sinter::spoken
