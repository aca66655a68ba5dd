// Without a LAPACK linear algebra on the host says what to install.
#include <runtime/host/lapack.hpp>
#include <sinter.hpp>
#include <sinter/linalg.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace sinter {
namespace {

/// Before the search, which a process makes once.
const bool named = setenv("SINTER_LAPACK", "off", 1) == 0;

TEST(Lapack, IsAskedForWhereThereIsNone) {
    ASSERT_TRUE(named);
    EXPECT_EQ(codegen::lapack_name(), "");
    const device_scope on(host());
    array<double, 2> x = eye<double>(2);
    try {
        x = inv(2 * x);
        FAIL() << "no LAPACK, and an inverse";
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find("install libopenblas0 or liblapack3"), std::string::npos);
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
    EXPECT_EQ(to_host(x), (std::vector<double>{1, 0, 0, 1}));
}

}  // namespace
}  // namespace sinter
