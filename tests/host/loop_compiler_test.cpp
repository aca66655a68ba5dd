// Which compiler makes loops, and what becomes of evaluations where there is none or it fails: the same results.
#include <codegen/kernel_builder.hpp>
#include <runtime/host/evaluate.hpp>
#include <runtime/host/loop_compiler.hpp>
#include <sinter.hpp>
#include <tests/support/own_folder.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <sys/stat.h>

namespace sinter::codegen::testing {
namespace {

constexpr std::int64_t n = 20000;

std::atomic<int> warnings{0};

/// x * y + x, and how often `times` evaluations of it were wrong.
class sample {
public:
    explicit sample(compiled_loops when = compiled_loops::when_they_pay) {
        kernel_builder b;
        const int i = b.outer(n);
        const int x = b.load(b.input(dtype::float32), {{i, 1}}), y = b.load(b.input(dtype::float32), {{i, 1}});
        b.store(b.op("add", {b.op("multiply", {x, y}), x}), {{i, 1}});
        plan = plan_on_host(b.k, when);
    }
    int wrong() {
        std::vector<float> x(n), y(n, 3), out(n);
        for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i % 100);
        const void* in[] = {x.data(), y.data()};
        void* to[] = {out.data()};
        evaluate_on_host(*plan, in, to, nullptr);
        int bad = 0;
        for (std::int64_t i = 0; i < n; ++i) bad += out[static_cast<std::size_t>(i)] != 4 * static_cast<float>(i % 100);
        return bad;
    }

    host_plan plan;
};

class loop_compiler_test : public ::testing::Test, protected test::own_folder {
protected:
    void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

    /// What `work` returns in a process of its own, whose environment names a compiler and a cache.
    void expect(int result, const std::string& compiler, const std::function<int()>& work, const char* says = "") {
        const auto all = [&] {
            setenv("SINTER_HOST_COMPILER", compiler.c_str(), 1);
            setenv("SINTER_CACHE_DIR", path("cache").c_str(), 1);
            set_warning_handler([](const char* line) {
                ++warnings;
                std::fprintf(stderr, "%s\n", line);
            });
            try {
                return work();
            } catch (const error& e) {
                std::fprintf(stderr, "%s\n", e.what());
                return 99;
            }
        };
        EXPECT_EXIT(std::exit(all()), ::testing::ExitedWithCode(result), says) << compiler;
    }

    /// A script in place of a compiler.
    std::string script(const std::string& name, const std::string& text, mode_t mode = 0700) {
        const std::string file = write(name, "#!/bin/sh\n" + text + "\n");
        ::chmod(file.c_str(), mode);
        return file;
    }
};

TEST_F(loop_compiler_test, off_leaves_the_loops_of_the_library) {
    expect(0, "off", [] {
        sample s(compiled_loops::at_once);
        return runs_compiled_loops(*s.plan) || s.wrong() > 0 ? 1 : 0;
    });
}

TEST_F(loop_compiler_test, names_that_cannot_be_used_are_refused) {
    const auto ask = [] { return sample().wrong(); };
    expect(99, "/nowhere/c++", ask, "SINTER_HOST_COMPILER=/nowhere/c\\+\\+: there is no such program");
    expect(99, "no-such-compiler", ask, "SINTER_HOST_COMPILER=no-such-compiler: there is no such program");
    expect(99, script("open", "exit 0", 0722), ask, "others than its owner can write it");
    expect(99, write("text", "no program"), ask, "no such program");
}

TEST_F(loop_compiler_test, a_compiler_that_fails_is_named_once_and_results_are_right) {
    const auto ask = [] {
        sample one(compiled_loops::at_once), other(compiled_loops::at_once);
        if (runs_compiled_loops(*one.plan) || one.wrong() + other.wrong() > 0) return 1;
        return warnings == 1 ? 0 : 2;
    };
    expect(0, script("fails", "echo 'no such option' >&2; exit 1"), ask, "fails says \"no such option\"; set SINTER");
    // it succeeds and leaves nothing, or what is no library
    expect(0, script("idle", "exit 0"), ask, "host loops are not compiled");
    expect(0, script("wrong", "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo text > \"$2\"; shift; done"), ask,
           "cannot be loaded");
}

TEST_F(loop_compiler_test, what_was_compiled_is_found_on_disk) {
    // The processes begin the test again, each with a folder of its own: what they share is the first one's.
    setenv("SINTER_TEST_SHARED", folder().c_str(), 0);
    const std::string shared = std::getenv("SINTER_TEST_SHARED"), runs = shared + "/runs", cache = shared + "/cache";
    const std::string counting = shared + "/counting";
    if (shared == folder()) script("counting", "echo run >> " + runs + "\nexec c++ \"$@\"");
    const auto ask = [&] {
        setenv("SINTER_CACHE_DIR", cache.c_str(), 1);
        sample s(compiled_loops::at_once);
        return runs_compiled_loops(*s.plan) && s.wrong() == 0 ? 0 : 1;
    };
    for (int run = 0; run < 2; ++run) expect(0, counting, ask);
    EXPECT_EQ(test::content(runs), "run\n");
    ::chmod(cache.c_str(), 0777);  // not to be trusted any more
    expect(0, counting, ask, "kernel cache");
    EXPECT_EQ(test::content(runs), "run\nrun\n");
    unsetenv("SINTER_TEST_SHARED");
}

TEST_F(loop_compiler_test, the_log_of_launches_says_which_loops_run) {
    const auto evaluate = [] {
        setenv("SINTER_LOG", "launches", 1);
        setenv("SINTER_DEVICE", "host", 1);
        const array<float, 1> x = full({1000}, 2.0f), y = x * x + x;
        return item(sum(y)) == 6000 ? 0 : 1;
    };
    expect(0, "wait", evaluate, "host: compiled loops of");
    expect(0, "off", evaluate, "host: the loops of");
}

TEST_F(loop_compiler_test, loops_come_in_the_background) {
    expect(0, script("plain", "exec c++ \"$@\""), [] {
        sample s;
        if (runs_compiled_loops(*s.plan)) return 1;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!runs_compiled_loops(*s.plan) && std::chrono::steady_clock::now() < end)
            if (s.wrong() > 0) return 2;
        return runs_compiled_loops(*s.plan) && s.wrong() == 0 ? 0 : 3;
    });
}

TEST_F(loop_compiler_test, a_process_that_ends_leaves_nothing_behind) {
    setenv("TMPDIR", folder().c_str(), 1);
    expect(0, script("slow", "sleep 60"), [] {
        static const compilation one("int x;");
        sample s;
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
        while (std::chrono::steady_clock::now() < end) static_cast<void>(s.wrong());
        return 0;
    });
    unsetenv("TMPDIR");
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
        EXPECT_EQ(entry.path().filename().string().find("sinter-loops"), std::string::npos) << entry.path();
}

}  // namespace
}  // namespace sinter::codegen::testing
