// All checks of a device program.
#include <codegen/device/verify.hpp>

#include <codegen/device/initialised.hpp>
#include <codegen/device/uniform.hpp>
#include <codegen/device/well_formed.hpp>

namespace sinter::codegen::device {

void verify(const program& p) {
    check_expressions(p);
    check_statements(p);
    check_initialised(p);
    check_uniform(p);
}

}  // namespace sinter::codegen::device
