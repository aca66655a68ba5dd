// After an exception in the middle of an evaluation the target is unchanged and no memory is leaked.
#include <tests/language/failing_device.hpp>
#include <tests/language/naive.hpp>
#include <tests/language/on_devices.hpp>

namespace sinter::test {
namespace {

class failures : public on_devices {
protected:
    void SetUp() override {
        on_devices::SetUp();
        if (IsSkipped()) return;
        // One device for all tests of the process: a plan belongs to the device it was made on.
        static const auto made = make_failing(*test_device());
        state_ = made.second;
        scope_.emplace(device(*made.first));
        state_->steps_left = -1;
    }

    /// Runs `assign` on a fresh target again and again, failing at its first step, its second ..., until it succeeds.
    /// After each failure the target must be what it was. Gives the bytes then in use beyond those before.
    template <class T, int Rank, class F>
    std::vector<std::int64_t> fail_at_each_step(const array<T, Rank>& start, F assign) {
        const auto values = to_host(start);
        std::vector<std::int64_t> left_behind;
        for (int step = 0; step < 100; ++step) {
            array<T, Rank> target = copy(start);
            const T* where = address(target);
            const std::int64_t before = state_->live_bytes;
            state_->steps_left = step;
            try {
                assign(target);
                state_->steps_left = -1;
                return left_behind;
            } catch (const error&) {
                state_->steps_left = -1;
                left_behind.push_back(state_->live_bytes - before);
                EXPECT_EQ(address(target), where);
                EXPECT_EQ(to_host(target), values) << "after failure " << step;
                EXPECT_EQ(target.storage()->references.load(), 1);
            }
        }
        ADD_FAILURE() << "it never succeeds";
        return left_behind;
    }

    template <class T, int Rank, class F>
    void fail_everywhere(const array<T, Rank>& start, F assign) {
        const std::int64_t at_first = state_->live_bytes;
        const auto making_the_plan = fail_at_each_step(start, assign);
        EXPECT_GE(making_the_plan.size(), 1u) << "nothing could fail: the test is about nothing";
        // The plan may keep a workspace, from when it is made on. Nothing else stays.
        const std::int64_t plans = state_->live_bytes - at_first;
        for (std::int64_t left : making_the_plan) EXPECT_TRUE(left == 0 || left == plans) << left;
        for (std::int64_t left : fail_at_each_step(start, assign)) EXPECT_EQ(left, 0);
        EXPECT_EQ(state_->live_bytes, at_first + plans);
    }

    failing_state* state_ = nullptr;

private:
    std::optional<device_scope> scope_;
};

TEST_F(failures, an_assignment) {
    const array<double, 2> x = to_array<double, 2>(random({7, 9}, 1));
    fail_everywhere(x, [&](auto& target) { target = transpose(target) + 1.25; });
    fail_everywhere(x, [&](auto& target) { target = x * target + transpose(transpose(target)) * sum(target); });
}

TEST_F(failures, an_update) {
    const array<double, 1> x = to_array<double, 1>(random({300}, 2));
    fail_everywhere(x, [&](auto& target) { target += target(range(-1, end, -1)) * 0.75; });
}

TEST_F(failures, several_launches_with_temporaries) {
    const array<double, 2> x = to_array<double, 2>(random({11, 13}, 3));
    fail_everywhere(x, [](auto& target) {
        target = target - mean(target, axis=0, keepdims) - mean(target, axis=1, keepdims) + sum(target, axis=0);
    });
}

/// The kernel that makes the first result runs before the other's.
TEST_F(failures, several_results) {
    const array<double, 1> x = to_array<double, 1>(random({11}, 7));
    const auto rows = to_array<double, 2>(random({11, 13}, 8)), others = to_array<double, 2>(random({7, 3}, 9));
    fail_everywhere(x, [&](auto& target) {
        array<double, 2> twice;
        tie(target, twice) = pack(sum(rows, axis=1) + target, others * 2);
    });
}

/// Batches along two axes that are no multiple of each other: a library takes the first axis call by call.
TEST_F(failures, a_product_of_several_calls) {
    const auto u = to_array<float, 4>(random({3, 4, 5, 6}, 10));
    const auto v = to_array<float, 3>(random({4, 6, 7}, 11));
    fail_everywhere(zeros<float>({3, 4, 5, 8}),
                    [&](auto& target) { target(all, all, all, range(0, 7)) = matmul(u, v); });
    fail_everywhere(zeros<float>({3, 4, 5, 7}), [&](auto& target) { target(all) = matmul(u, v); });
}

TEST_F(failures, a_reduction_with_a_workspace) {
    const array<float, 1> x = to_array<float, 1>(random({emulated() ? 20'000 : 200'000}, 4));
    fail_everywhere(x, [](auto& target) { target = target / sum(target * target); });
}

TEST_F(failures, conversions_and_copies) {
    const array<float, 2> x = to_array<float, 2>(random({5, 6}, 5));
    fail_everywhere(x, [](auto& target) { target = from_host(std::vector<std::vector<float>>{{1, 2}, {3, 4}}); });
    fail_everywhere(x, [](auto& target) { target = array<int, 2>{{1, 2}, {3, 4}}; });
    fail_everywhere(x, [](auto& target) {
        const array<float, 2> shared = target;
        try {
            (void)data(target);
        } catch (const error&) {
            EXPECT_EQ(address(target), address(shared));
            throw;
        }
    });
}

TEST_F(failures, nothing_in_use_at_the_end) {
    const std::int64_t before = state_->live_bytes;
    {
        const array<double, 2> x = to_array<double, 2>(random({7, 9}, 6));
        auto e = exp(x) + transpose(x(all, range(0, 7)))(0, 0);
        auto copy_of_e = e;
        const array<double, 2> y = std::move(e);
        const auto view = y.host_view();
        EXPECT_EQ(to_host(copy_of_e), to_host(y));
        EXPECT_GT(state_->live_bytes, before);
    }
    EXPECT_EQ(state_->live_bytes, before);
}

}  // namespace
}  // namespace sinter::test
