// The main function of every test executable: as GoogleTest's own, but says to ctest when everything was skipped.
#include <gtest/gtest.h>

/// What ctest takes for "skipped"; tests/CMakeLists.txt says it to ctest.
constexpr int skip_code = 77;

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const int result = RUN_ALL_TESTS();
    const auto& all = *testing::UnitTest::GetInstance();
    const bool all_skipped = all.successful_test_count() == 0 && all.skipped_test_count() > 0;
    return result == 0 && all_skipped ? skip_code : result;
}
