// The emulated device reports unordered uses of memory by streams, and accepts ordered ones.
#include <tests/emulate/launching.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace sinter::emulate {
namespace {

using testing::HasSubstr;

class stream_orders : public testing::Test {
protected:
    void SetUp() override { first_ = device_.acquire_stream(), second_ = device_.acquire_stream(); }

    /// y = x + 1 on a stream; returns the device's report.
    std::string run(int stream, device_array<int>& y, device_array<int>& x) { return run(stream, y.p, x.p); }
    std::string run(int stream, int* y, int* x) {
        codegen::chosen_stream = {&device_, stream};
        std::string complaint;
        try {
            kernel_.launch(1, 4, y, x);
        } catch (const error& e) {
            complaint = e.what();
        }
        codegen::chosen_stream = {};
        return complaint;
    }
    void wait(int later, int earlier) {
        codegen::chosen_stream = {&device_, later};
        device_.wait_for_stream(earlier);
        codegen::chosen_stream = {};
    }

    emulated_device device_;
    kernel_source kernel_{
        device_, "next",
        "extern \"C\" __global__ void next(int* y, const int* x) { y[threadIdx.x] = x[threadIdx.x] + 1; }"};
    device_array<int> a_{device_, {1, 2, 3, 4}}, b_{device_, 4}, c_{device_, {0, 0, 0, 0}};
    int first_ = 0, second_ = 0;
};

TEST_F(stream_orders, reading_what_another_stream_writes) {
    device_.synchronize();
    EXPECT_EQ(run(first_, b_, a_), "");
    EXPECT_THAT(run(second_, c_, b_), HasSubstr("stream 2 reads memory that stream 1 writes"));
    wait(second_, first_);
    EXPECT_EQ(run(second_, c_, b_), "");
}

TEST_F(stream_orders, writing_what_another_stream_reads) {
    device_.synchronize();
    EXPECT_EQ(run(first_, b_, a_), "");
    EXPECT_THAT(run(second_, a_, c_), HasSubstr("stream 2 writes memory that stream 1 reads"));
    wait(second_, first_);
    EXPECT_EQ(run(second_, a_, c_), "");
}

TEST_F(stream_orders, the_device_s_own_stream_is_one_of_them) {
    EXPECT_THAT(run(first_, b_, a_), HasSubstr("stream 1 reads memory that stream 0 writes"));
    wait(first_, 0);
    EXPECT_EQ(run(first_, b_, a_), "");
    EXPECT_THAT(run(0, c_, b_), HasSubstr("stream 0 reads memory that stream 1 writes"));
}

TEST_F(stream_orders, writing_different_elements_of_one_block) {
    device_array<int> both(device_, 8);
    device_.synchronize();
    EXPECT_EQ(run(first_, both.p, a_.p), "");
    EXPECT_EQ(run(second_, both.p + 4, a_.p), "");
    EXPECT_THAT(run(0, both.p + 1, a_.p), HasSubstr("stream 0 writes memory that stream 1 writes"));
    wait(0, first_);
    EXPECT_EQ(run(0, both.p, a_.p), "");
    EXPECT_THAT(run(0, c_.p, both.p + 2), HasSubstr("stream 0 reads memory that stream 2 writes"));
    wait(0, second_);
    EXPECT_EQ(run(0, c_.p, both.p + 2), "");
}

TEST_F(stream_orders, waiting_passes_on_what_was_waited_for) {
    device_.synchronize();
    EXPECT_EQ(run(first_, b_, a_), "");
    wait(0, first_);
    wait(second_, 0);
    EXPECT_EQ(run(second_, c_, b_), "");
}

TEST_F(stream_orders, an_event_stands_for_what_was_before_it) {
    device_.synchronize();
    EXPECT_EQ(run(first_, b_, a_), "");
    codegen::chosen_stream = {&device_, first_};
    const std::unique_ptr<codegen::time_mark> mark(device_.mark());
    EXPECT_EQ(run(first_, c_, a_), "");  // after the event
    codegen::chosen_stream = {&device_, second_};
    device_.wait_for_mark(*mark);
    EXPECT_EQ(run(second_, a_, b_).find("memory that stream 1 writes"), std::string::npos);
    EXPECT_THAT(run(second_, b_, c_), HasSubstr("stream 2 reads memory that stream 1 writes"));
}

TEST_F(stream_orders, memory_is_given_back_with_its_users) {
    device_.synchronize();
    void* const p = device_.allocate(16);
    device_.fill_zero(p, 16);
    codegen::chosen_stream = {&device_, first_};
    device_.wait_for_stream(0);
    device_.copy_within(b_.p, p, 16);
    codegen::chosen_stream = {};
    device_.deallocate(p, 16, codegen::stream_uses::only(0));
    EXPECT_THROW(device_.synchronize(), error);
    wait(0, first_);
}

}  // namespace
}  // namespace sinter::emulate
