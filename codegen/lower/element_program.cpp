// Element functions: the work of an elementwise kernel at one position, in a kernel that calls it.
#include <codegen/lower/lower.hpp>

#include <codegen/lower/access.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/verify/verify.hpp>

#include <algorithm>

namespace sinter::codegen::lower {
namespace {

/// The layouts by which arrays are accessed: not those of elements that the caller passes or takes.
std::vector<int> accessed_layouts(const lowering& c, const element_function& f, int given) {
    std::vector<int> layouts;
    for (const std::vector<int>* values : {&f.loads, &f.places})
        for (const int v : *values)
            if (c.at(v).what != value_kind::load || c.at(v).input != given) layouts.push_back(c.at(v).at);
    if (given >= 0)
        for (const int st : f.stores) layouts.push_back(c.store_at(st).at);
    return layouts;
}

}  // namespace

device_ir::program lower_element(const kernel_class& of, int given) {
    lowering c(of);
    const element_function f = make_element_function(c, group_level, "element");
    load_outside(c, f);
    const std::vector<int> layouts = accessed_layouts(c, f, given);
    const bool moves = std::any_of(layouts.begin(), layouts.end(), [&](int l) {
        return std::any_of(c.k.outer.begin(), c.k.outer.end(),
                           [&](int axis) { return step_of(c.k, l, axis) != step::none; });
    });
    if (moves) c.decompose(c.k.outer, c.position(), layouts);
    const access_plan plan = whole_arrays(c, c.k.outer);
    const auto place = [&](int v) { return index_or_gathered(c, plan, v); };
    const auto element = [&](int v) {
        return c.at(v).input == given && given >= 0 ? c.given(given) : loaded_element(c, plan, v);
    };
    scalar result;
    if (given < 0) result = c.b.variable_of(c.unique("result"), c.output_type(f.stores[0]));
    const auto target = [&](int st) {
        return result ? result : element_in(c, plan.target(st), c.store_at(st).at, c.k.outer);
    };
    call(c, f, {element, place, {}, target});
    c.b.made.name = "element";
    if (result) c.b.made.result = c.b[result].of;
    device_ir::program made = c.finish_element(given);
    device_ir::verify(made, promises_of(of, made));
    return made;
}

}  // namespace sinter::codegen::lower
