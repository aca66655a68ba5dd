// Dispatches to the strategy of the schedule's form.
#include <codegen/lower/lower.hpp>

#include <codegen/lower/kernel_name.hpp>
#include <codegen/lower/promises.hpp>
#include <codegen/lower/strategies.hpp>
#include <codegen/schedule/nested_products.hpp>
#include <codegen/verify/verify.hpp>

namespace sinter::codegen::lower {

device_ir::program lower(const kernel_class& of) {
    lowering c(of);
    switch (of.how.form) {
        case schedule_form::elementwise: lower_elementwise(c); break;
        case schedule_form::tiled: lower_tiled(c); break;
        case schedule_form::stencil: lower_stencil(c); break;
        case schedule_form::channels: lower_channels(c); break;
        case schedule_form::windows: lower_windows(c); break;
        case schedule_form::rows: lower_rows(c); break;
        case schedule_form::columns: lower_columns(c); break;
        case schedule_form::contraction: lower_contraction(c); break;
        case schedule_form::tensor:
            if (of.body.nest_axis < 0 || folds_product(of.body, of.how.tensor))
                lower_tensor(c);
            else if (nested_products_of(of.body))
                lower_nested(c);
            else
                lower_online(c);
            break;
    }
    device_ir::program made = c.finish();
    made.name = kernel_name(of);
    device_ir::verify(made, promises_of(of, made));
    return made;
}

}  // namespace sinter::codegen::lower
