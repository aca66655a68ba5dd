// All checks of a device program.
#include <codegen/device/verify.hpp>

#include <codegen/device/bounds.hpp>
#include <codegen/device/initialised.hpp>
#include <codegen/device/uniform.hpp>
#include <codegen/device/well_formed.hpp>

namespace sinter::codegen::device {

std::vector<std::string> verify(const program& p, const launch_promises& given) {
    check_expressions(p);
    check_statements(p);
    check_initialised(p);
    check_uniform(p);
    return check_bounds(p, given);
}

}  // namespace sinter::codegen::device
