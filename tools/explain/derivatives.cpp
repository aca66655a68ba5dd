// Derivatives: grad, value_and_grad, hold.
#include <sinter/error.hpp>
#include <tools/explain/reader.hpp>

namespace sinter::spoken {

std::vector<node_ref> gradients_of(const call& c) {
    c.takes(2, ir::max_roots, {}, (c.name() + "(loss, x, y)").c_str());
    std::vector<node_ref> results;
    const node_ref loss = c.array(0);
    if (c.name() == "value_and_grad") results.push_back(loss);
    for (std::size_t i = 1; i < c.count(); ++i) results.push_back(gradient(loss, c.array(i)));
    return results;
}

void add_derivatives(function_table& all) {
    all.emplace("stop_gradient", [](const call& c) {
        c.takes(1, 1, {}, "stop_gradient(x)");
        return held(c.array(0));
    });
    all.emplace("grad", [](const call& c) {
        c.takes(2, 2, {}, "grad(loss, x); with several variables it must be the whole expression");
        return gradients_of(c)[0];
    });
}

}  // namespace sinter::spoken
