// Many threads, each of which does random things to shared and to own arrays and checks what comes out. To be built
// with ThreadSanitizer, which ends the program at a race. SINTER_TEST_SECONDS says how long; 20 otherwise. Another
// SINTER_SEED makes them do other things.
#include <sinter/memory.hpp>
#include <tests/threads/stress.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

#include <unistd.h>

namespace sinter::stress {

common::common()
    : table(reshape(arange(static_cast<double>(rows * columns)), {rows, columns})),
      large(full({300, 500}, 1.0f)),
      folder(testing::TempDir() + "sinter_stress_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder);
    memory_pool(host()).set_limit(std::size_t{1} << 40);  // so that what asks for more never waits in others' way
}

namespace {

constexpr int threads = 8;

int number_in(const char* variable, int otherwise) {
    const char* const wish = std::getenv(variable);
    return wish != nullptr ? std::atoi(wish) : otherwise;
}

/// Each as often as its weight says.
std::vector<operation> drawn_from() {
    std::vector<operation> all;
    for (const auto& some : {evaluations(), handles(), scopes(), resources()})
        for (const operation& o : some) all.insert(all.end(), static_cast<std::size_t>(o.weight), o);
    return all;
}

/// Does things until the end and counts them. Returns what went wrong.
std::string work(worker& w, const std::vector<operation>& all, std::chrono::steady_clock::time_point end,
                 std::atomic<bool>& failed, std::map<std::string, std::int64_t>& counts) {
    while (!failed && std::chrono::steady_clock::now() < end) {
        const operation& o = all[w.random() % all.size()];
        try {
            o.run(w);
        } catch (const std::exception& e) {
            failed = true;
            return std::string(o.name) + ": " + e.what();
        }
        ++counts[o.name];
    }
    return {};
}

TEST(stress, of_many_threads) {
    const std::chrono::seconds duration(number_in("SINTER_TEST_SECONDS", 20));
    const auto seed = static_cast<std::uint64_t>(number_in("SINTER_SEED", 0)) * threads;
    const device_scope on(host());
    const tbb::global_control several(tbb::global_control::max_allowed_parallelism, 4);
    const std::vector<operation> all = drawn_from();
    common shared;
    std::atomic<bool> failed{false};
    std::vector<std::map<std::string, std::int64_t>> counts(threads);
    std::vector<std::thread> running;
    const auto end = std::chrono::steady_clock::now() + duration;
    for (int t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            const device_scope here(host());
            worker w{shared, t, std::mt19937_64(seed + static_cast<unsigned>(t) + 1)};
            EXPECT_EQ(work(w, all, end, failed, counts[static_cast<std::size_t>(t)]), "");
        });
    for (std::thread& t : running) t.join();
    std::map<std::string, std::int64_t> of_all;
    std::int64_t total = 0;
    for (const auto& mine : counts)
        for (const auto& [name, count] : mine) of_all[name] += count, total += count;
    for (const auto& [name, count] : of_all) std::printf("%9lld %s\n", static_cast<long long>(count), name.c_str());
    std::printf("%9lld operations by %d threads\n", static_cast<long long>(total), threads);
    EXPECT_GT(total, 100);
    std::filesystem::remove_all(shared.folder);
}

}  // namespace
}  // namespace sinter::stress
