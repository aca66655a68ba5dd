// Races that are planted must be reported: in what a user does with one array, and in the body of a parallel loop,
// where much of what oneTBB does is not reported. Runs itself for each.
#include <runtime/system/parallel.hpp>
#include <runtime/system/race_detector.hpp>
#include <sinter.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include <unistd.h>

namespace {

using namespace sinter;

constexpr const char* planted = "SINTER_TEST_PLANTED";

/// Two threads write one array.
void race_for_an_array() {
    const device_scope on(host());
    array<double, 1> x = full({100}, 1.0);
    const auto write = [&x] {
        const device_scope here(host());
        for (int i = 0; i < 100; ++i) x += 1.0;
    };
    std::thread other(write);
    write();
    other.join();
}

/// Parts of a loop write one variable.
void race_in_a_loop() {
    const tbb::global_control several(tbb::global_control::max_allowed_parallelism, 4);
    int sum = 0;
    codegen::parallel_loop(200, 1, [&](std::int64_t first, std::int64_t) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sum += static_cast<int>(first);
    });
    std::printf("%d\n", sum);
}

/// What this program says when it is run with that race.
std::string report_of(const char* race) {
    const std::string command =
        fmt::format("env {}={} /proc/{}/exe --gtest_filter=planted.races_are_reported 2>&1", planted, race, ::getpid());
    std::string said;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return said;
    char some[4096];
    for (std::size_t n; (n = std::fread(some, 1, sizeof some, pipe)) > 0;) said.append(some, n);
    ::pclose(pipe);
    return said;
}

TEST(planted, races_are_reported) {
#ifdef SINTER_TSAN
    if (const char* const race = std::getenv(planted)) {
        std::string(race) == "array" ? race_for_an_array() : race_in_a_loop();
        return;
    }
    for (const char* const race : {"array", "loop"})
        EXPECT_NE(report_of(race).find("ThreadSanitizer: data race"), std::string::npos) << race;
#else
    GTEST_SKIP() << "this needs ThreadSanitizer";
#endif
}

}  // namespace
