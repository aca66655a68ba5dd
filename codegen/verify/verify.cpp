// Runs all checks of a device program.
#include <codegen/verify/verify.hpp>

#include <codegen/verify/bounds.hpp>
#include <codegen/verify/initialised.hpp>
#include <codegen/verify/products.hpp>
#include <codegen/verify/uniform.hpp>
#include <codegen/verify/well_formed.hpp>

namespace sinter::codegen::device_ir {

std::vector<std::string> verify(const program& p, const launch_promises& given) {
    check_expressions(p);
    check_statements(p);
    check_names(p);
    check_initialised(p);
    check_uniform(p);
    check_products(p);
    return check_bounds(p, given);
}

}  // namespace sinter::codegen::device_ir
