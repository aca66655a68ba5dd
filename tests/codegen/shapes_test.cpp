// How many kernels 1000 random shapes of one expression need: one for each class.
#include <codegen/lower/kernel_class.hpp>
#include <tests/codegen/shaped_expressions.hpp>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sinter::codegen {
namespace {

TEST(Shapes, AThousandNeedFewKernels) {
    const device_scope on_host(host());
    for (const testing::shaped_expression& e : testing::shaped_expressions()) {
        testing::shape_source shapes(1);
        std::set<std::string> kernels;
        for (int i = 0; i < 1000; ++i)
            e.draw(shapes, [&](const bindings& b) {
                for (const compiled_kernel& k : compile(b, {}, {}).kernels)
                    if (k.chosen) kernels.insert(key_of(class_of(k.body, *k.chosen)));
            });
        EXPECT_LE(kernels.size(), static_cast<std::size_t>(e.max_kernels)) << e.name;
        EXPECT_GE(kernels.size(), static_cast<std::size_t>(e.max_kernels) / 2) << e.name << " needs a lower bound";
    }
}

}  // namespace
}  // namespace sinter::codegen
