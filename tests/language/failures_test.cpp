// What an exception in the middle of an evaluation leaves behind: the target as it was, and no byte more in use.
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
    /// After each failure the target must be what it was, and the bytes in use as many.
    template <class T, int Rank, class F>
    void fail_everywhere(const array<T, Rank>& start, F assign) {
        const auto values = to_host(start);
        int failed = 0;
        for (bool done = false; !done; ++failed) {
            ASSERT_LT(failed, 100);
            array<T, Rank> target = copy(start);
            const void* address = target.data();
            const std::int64_t before = state_->live_bytes;
            state_->steps_left = failed;
            try {
                assign(target);
                done = true;
            } catch (const error&) {
                state_->steps_left = -1;
                EXPECT_EQ(state_->live_bytes, before) << "after failure " << failed;
                EXPECT_EQ(target.data(), address);
                EXPECT_EQ(to_host(target), values) << "after failure " << failed;
                EXPECT_EQ(target.storage()->references.load(), 1);
            }
            state_->steps_left = -1;
        }
        EXPECT_GE(failed, 2) << "nothing could fail: the test is about nothing";
        // Once it has succeeded, a second time leaves nothing behind, either.
        array<T, Rank> target = copy(start);
        const std::int64_t before = state_->live_bytes;
        assign(target);
        target = copy(start);
        EXPECT_EQ(state_->live_bytes, before);
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
            *target.mutable_data();
        } catch (const error&) {
            EXPECT_EQ(target.data(), shared.data());
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
