// Memory that runs out anywhere in an evaluation: the targets stay as they were, nothing is lost, and the next
// evaluation is right. operator new and the memory of arrays are the test's own here, so that each allocation can be
// the one that fails.
#include <sinter.hpp>
#include <sinter/memory.hpp>
#include <sinter/sort.hpp>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

namespace {

std::atomic<long> allocations_left{-1};  // until one fails; negative: none does
std::atomic<bool> others_fail{false};    // all of other threads than this test's
std::atomic<long> live{0};
thread_local bool is_tester = false;

bool fails() {
    if (others_fail && !is_tester) return true;
    return allocations_left >= 0 && allocations_left-- == 0;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
    if (fails()) return nullptr;
    ++live;
    return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const p = allocate(bytes, alignment);
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

void give_back(void* p) {
    if (p != nullptr) --live;
    std::free(p);
}

}  // namespace

void* operator new(std::size_t n) { return allocate_or_throw(n, 16); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, 16); }
void operator delete(void* p) noexcept { give_back(p); }
void operator delete(void* p, std::size_t) noexcept { give_back(p); }
void operator delete(void* p, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { give_back(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { give_back(p); }

namespace {

using namespace sinter;

std::atomic<long> arrays_refused{0};

/// The memory of arrays.
class failing_memory final : public memory_allocator {
public:
    void* allocate(std::size_t bytes, std::size_t alignment) override {
        void* const p = ::allocate(bytes, alignment);
        if (p == nullptr) ++arrays_refused;
        return p;
    }
    void deallocate(void* memory, std::size_t, std::size_t) noexcept override { give_back(memory); }
};

constexpr int threads = 4;  // the fewest of which one is started by another; whatever the machine has

/// Has all threads of the arena started. oneTBB's threads start each other, and end the process where one finds no
/// memory for that: what fails below is the library's own.
void start_threads() {
    std::atomic<int> there{0};
    const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    tbb::parallel_for(
        tbb::blocked_range<int>(0, threads, 1),
        [&](const tbb::blocked_range<int>&) {
            ++there;
            while (there < threads && std::chrono::steady_clock::now() < latest) std::this_thread::yield();
        },
        tbb::simple_partitioner());
    ASSERT_EQ(there, threads);
}

template <class F>
void on_many_threads(const F& body) {
    const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena(threads).execute([&] {
        start_threads();
        body();
    });
}

/// What the expressions below are assigned to.
struct targets {
    array<double, 2> a;
    array<double, 1> b, c;
};

struct contents {
    std::vector<double> a, b, c;
    bool operator==(const contents&) const = default;
};

contents contents_of(const targets& t) { return {to_host(t.a), to_host(t.b), to_host(t.c)}; }

/// Enough for all cores, in many tiles, with long and with short axes.
const array<double, 2>& x() {
    static const array<double, 2> values = uniform<double>(random_key(7), {400, 300});
    return values;
}

using assignment = std::function<void(targets&)>;

/// Each writes over its targets where it can.
const std::vector<assignment>& assignments() {
    using t = targets;
    static const std::vector<assignment> list = {
        [](t& y) { y.a += 1.5; },
        [](t& y) { y.a = 2.0 * y.a + 1.0; },
        [](t& y) { y.a *= exp(-y.a); },
        [](t& y) { y.a = where(y.a > 0.5, y.a, x()); },
        [](t& y) { y.a = y.a - mean(y.a, axis=1, keepdims); },
        [](t& y) { y.a = y.a - mean(y.a, axis=0, keepdims); },
        [](t& y) { y.a = softmax(y.a, axis=1); },
        [](t& y) { y.a = softmax(y.a, axis=0); },
        [](t& y) { y.a -= sum(y.a); },
        [](t& y) {
            y.a += transpose(reshape(y.a, {300, 400}));
        },
        [](t& y) { y.a = cumsum(y.a, axis=1); },
        [](t& y) { y.a = cumsum(y.a, axis=0); },
        [](t& y) { y.a = y.a + flip(y.a, axis=1); },
        [](t& y) { y.a = concat(axis=0, y.a(range(0, 200), all), x()(range(0, 200), all)); },
        [](t& y) { y.a(all, 3) = y.a(all, 4) * 2.0; },
        [](t& y) { y.a(range(1, end), all) += y.a(range(0, -1), all); },
        [](t& y) { y.a(range(0, end, 2), all) = matmul(x()(range(0, 200), range(0, 30)), x()(range(0, 30), all)); },
        [](t& y) { y.a = astype<double>(y.a > mean(y.a)); },
        [](t& y) { y.a /= norm(y.a, axis=1, keepdims); },
        [](t& y) { y.b = sum(y.a, axis=1) + y.b; },
        [](t& y) { y.c += sum(y.a, axis=0); },
        [](t& y) { y.c = max(y.a * x(), axis=0) - y.c; },
        [](t& y) { y.b = astype<double>(argmax(y.a, axis=1)); },
        [](t& y) { y.b += var(y.a, axis=1); },
        [](t& y) { tie(y.b, y.c) = pack(sum(y.a, axis=1), sum(y.a, axis=0)); },
        [](t& y) { tie(y.a, y.b) = pack(y.a * 2.0, y.b + 1.0); },
        [](t& y) { tie(y.b, y.c) = pack(y.b - mean(y.a, axis=1), y.c * sum(y.b)); },
        [](t& y) { y.a -= 0.1 * grad(sum(square(y.a * x())), y.a); },
        [](t& y) { at(y.c, astype<std::int64_t>(y.b * 100.0)) += y.b; },
        [](t& y) {
            y.a = uniform<double>(random_key(3), {400, 300}) * y.a;
        },
        [](t& y) { y.a = take(y.a, astype<std::int64_t>(arange<int>(400) / 2), axis=0); },
        [](t& y) { y.b = matmul(y.a, y.c); },
        // into new arrays
        [](t& y) { y.a = array<double, 2>(y.a * 2.0); },
        [](t& y) { y.a = y.a(range(0, 100), range(0, 200)) + 1.0; },
        [](t& y) { tie(y.b, y.c) = pack(y.b(range(0, 20)), exp(y.c(range(0, 200)))); },
        [](t& y) { y.b = concat(axis=0, y.b, y.c); },
        [](t& y) { y.b = sort(concat(axis=0, y.b, y.c)); },
    };
    return list;
}

constexpr std::size_t into_new_arrays = 5;  // the last assignments

class memory_failures : public testing::Test {
protected:
    static void SetUpTestSuite() { memory_pool(host()).set_allocator(std::make_shared<failing_memory>()); }
    void SetUp() override { is_tester = true; }
    void TearDown() override {
        allocations_left = -1;
        others_fail = false;
    }

    const device_scope on_{host()};

    static targets fresh() {
        return {copy(x()), uniform<double>(random_key(5), {400}), uniform<double>(random_key(6), {300})};
    }

    /// Fails at the first allocation, the second ... until the assignment succeeds; says how often.
    static long fail_at_each(const assignment& assign, const contents& before, const contents& after) {
        for (long n = 0;; ++n) {
            targets t = fresh();
            bool succeeded = true;
            memory_pool(host()).free_all_blocks();  // else a block that is kept needs no allocation
            allocations_left = n;
            try {
                assign(t);
            } catch (const std::bad_alloc&) {
                succeeded = false;
            } catch (const error&) {
                succeeded = false;
            }
            // Where the failing one came late, the evaluation has done without it.
            const bool ended = allocations_left >= 0;
            allocations_left = -1;
            EXPECT_EQ(contents_of(t), succeeded ? after : before) << "allocation " << n;
            if (ended || HasFailure()) return n;
        }
    }
};

/// Before anything else has run: no thread has kept memory yet.
TEST_F(memory_failures, a_threads_that_helps) {
    on_many_threads([] {
        static_cast<void>(x());
        others_fail = true;
        for (std::size_t i = 0; i < assignments().size(); ++i) {
            targets reference = fresh();
            {
                const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
                assignments()[i](reference);
            }
            for (int round = 0; round < 5; ++round) {
                targets t = fresh();
                EXPECT_NO_THROW(assignments()[i](t)) << "assignment " << i;
                ASSERT_EQ(contents_of(t), contents_of(reference)) << "assignment " << i;
            }
        }
    });
}

/// Of a first evaluation, that makes a plan, and of one that finds it.
TEST_F(memory_failures, each_allocation) {
    on_many_threads([] {
        const contents before = contents_of(fresh());
        for (std::size_t i = 0; i < assignments().size(); ++i)
            for (const fusion mode : {fusion::on, fusion::off}) {
                if (mode == fusion::off && i % 4 != 0) continue;  // many kernels, which takes long
                SCOPED_TRACE("assignment " + std::to_string(i));
                const fusion_scope scope(mode);
                targets t = fresh();
                assignments()[i](t);
                const contents after = contents_of(t);
                const fast_math_scope another_plan;  // which computes the same on the host
                const long at_first = live;
                const long refused = arrays_refused;
                const long failures = fail_at_each(assignments()[i], before, after);
                EXPECT_GT(failures, 20) << "nothing could fail";
                if (i + into_new_arrays >= assignments().size()) {
                    EXPECT_GT(arrays_refused, refused) << "the new array could not fail";
                }
                long lost = failures;  // a thread may keep some once; what is lost is lost each time
                for (int round = 0; round < 3 && lost > 0; ++round) {
                    const long with_plan = live;
                    fail_at_each(assignments()[i], before, after);
                    lost = std::min(lost, live - with_plan);
                }
                EXPECT_LE(lost, 0) << "memory is lost";
                EXPECT_LT(live - at_first, failures / 2 + 500) << "memory is lost";
                if (HasFailure()) return;
            }
    });
}

}  // namespace
