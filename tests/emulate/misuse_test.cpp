// What the emulated device must find wrong: each kernel here has one mistake, and the message must say which.
#include <tests/emulate/launching.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sinter::emulate {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class misuse : public testing::Test {
protected:
    /// What a launch of the body says; empty when it goes well. `out` and `x` hold 64 elements.
    std::string launch(const std::string& body, int block = 64, int blocks = 1, const std::string& attributes = "") {
        const kernel_source k(device, "bad",
                              "extern \"C\" __global__ void " + attributes +
                                  " bad(double* out, const double* x, int n) {\n" + body + "\n}\n");
        try {
            k.launch(blocks, block, out.p, x.p, 64);
        } catch (const error& e) {
            EXPECT_THAT(e.what(), Not(HasSubstr("\n")));
            return e.what();
        }
        return {};
    }
    void TearDown() override {  // whatever went wrong, the device goes on
        EXPECT_EQ(launch("out[threadIdx.x] = n * x[0]; __syncthreads();"), "");
        EXPECT_EQ(out.values(), std::vector<double>(64, 64.0));
    }

    emulated_device device;
    device_array<double> x{device, std::vector<double>(64, 1.0)};
    device_array<double> out{device, 64};
};

TEST_F(misuse, a_thread_leaves_before_a_barrier) {
    EXPECT_THAT(launch("if (threadIdx.x == 40) return;\n__syncthreads();\nout[threadIdx.x] = x[0] + n;"),
                AllOf(HasSubstr("block 0"), HasSubstr("line 3: __syncthreads was reached by 63 of 64 threads"),
                      HasSubstr("thread 40 has left the kernel")));
}

TEST_F(misuse, threads_wait_at_different_barriers) {
    EXPECT_THAT(launch("if (threadIdx.x < 40) {\n__syncthreads();\nout[0] = x[n - 1];\n} else {\n__syncthreads();\n}"),
                AllOf(HasSubstr("line 6"), HasSubstr("line 3 by others")));
}

TEST_F(misuse, a_mask_names_a_lane_that_waits_elsewhere) {
    EXPECT_THAT(launch("double v = x[n - 1];\nif (threadIdx.x != 5)\nv = __shfl_xor_sync(0xffffffffu, v, 1);\n"
                       "__syncthreads();\nout[threadIdx.x] = v;"),
                AllOf(HasSubstr("line 4"), HasSubstr("waits for lane 5 in vain"),
                      HasSubstr("thread 5 waits at __syncthreads in line 5")));
}

TEST_F(misuse, a_mask_names_a_lane_that_has_left) {
    EXPECT_THAT(launch("if (threadIdx.x == 7) return;\nout[threadIdx.x] = __shfl_down_sync(0xffffffffu, x[n - 1], 1);"),
                HasSubstr("lane 7, which has left the kernel"));
}

TEST_F(misuse, a_mask_does_not_name_the_caller) {
    EXPECT_THAT(launch("out[threadIdx.x] = __shfl_sync(0xffffu, x[n - 1], 0);"),
                HasSubstr("thread 16, line 2: the mask 0x0000ffff of a shuffle does not name the calling lane 16"));
}

TEST_F(misuse, a_mask_names_lanes_beyond_the_block) {
    EXPECT_THAT(launch("out[threadIdx.x] = __shfl_sync(0xffffffffu, x[n - 1], 0);", 40),
                HasSubstr("names lane 8, but the block ends at thread 39"));
}

TEST_F(misuse, lanes_disagree_about_the_mask) {
    EXPECT_THAT(launch("__syncwarp(threadIdx.x % 32 < 16 ? 0xffffffffu : 0xffff0000u);\nout[threadIdx.x] = x[n - 1];"),
                HasSubstr("line 2: __syncwarp with mask 0xffffffff waits for lane 16 in vain"));
}

TEST_F(misuse, lanes_wait_in_different_shuffles) {
    EXPECT_THAT(launch("double v = x[n - 1];\nif (threadIdx.x % 2)\nv += __shfl_xor_sync(0xffffffffu, v, 1);\n"
                       "else\nv -= __shfl_xor_sync(0xffffffffu, v, 1);\nout[threadIdx.x] = v;"),
                AllOf(HasSubstr("in vain"), HasSubstr("with mask 0xffffffff in line 4")));
}

TEST_F(misuse, a_width_that_is_no_power_of_two) {
    EXPECT_THAT(launch("out[threadIdx.x] = __shfl_xor_sync(0xffffffffu, x[n - 1], 1, 12);"),
                HasSubstr("width must be a power of two"));
}

TEST_F(misuse, a_write_past_the_end) {
    EXPECT_THAT(launch("out[threadIdx.x + 33 * blockIdx.x] = x[n - 1];", 32, 2),
                HasSubstr("block 1, thread 31: writes 8 bytes 0 bytes past the end of 512 allocated bytes"));
}

TEST_F(misuse, a_read_before_the_beginning) {
    EXPECT_THAT(launch("out[threadIdx.x] = x[static_cast<int>(threadIdx.x) - n + 63];"),
                HasSubstr("thread 0: reads 8 bytes 8 bytes before 512 allocated bytes"));
}

// What was allocated and not written is poison on the device, too: the kernel is told, not its result looked at.
TEST_F(misuse, a_read_of_what_nothing_has_written) {
    const std::string read = "if (threadIdx.x == 5) out[5] = 2 * out[6] + x[n - 1];";
    const device_array<double> fresh(device, 64), copy(device, 64);
    const kernel_source k(device, "from",
                          "extern \"C\" __global__ void from(double* out, const double* x) { out[0] = x[9]; }");
    EXPECT_THAT(launch(read),
                AllOf(HasSubstr("thread 5"), HasSubstr("reads 8 bytes that nothing has written, at byte 48 "
                                                       "of 512 allocated")));
    EXPECT_EQ(launch("out[threadIdx.x] = x[n - 1];"), "");
    EXPECT_EQ(launch(read), "") << "written by a kernel";
    device.fill_zero(static_cast<void*>(fresh.p + 9), sizeof(double));
    EXPECT_NO_THROW(k.launch(1, 1, out.p, fresh.p)) << "written by a fill";
    device.copy_within(copy.p, fresh.p, 64 * sizeof(double));
    EXPECT_NO_THROW(k.launch(1, 1, out.p, copy.p)) << "copied";
    device.copy_within(copy.p + 9, fresh.p + 10, sizeof(double));
    EXPECT_THROW(k.launch(1, 1, out.p, copy.p), error) << "a copy of what is not written is not written";
    const device_array<unsigned> count(device, 1);
    const kernel_source add(device, "add", "extern \"C\" __global__ void add(unsigned* n) { atomicAdd(n, 1u); }");
    EXPECT_THROW(add.launch(1, 1, count.p), error) << "an atomic reads, too";
}

TEST_F(misuse, a_read_of_shared_memory_that_the_block_has_not_written) {
    const std::string head =
        "__shared__ double a[64];\nif (blockIdx.x == 0) a[threadIdx.x] = x[n - 1];\n__syncthreads();\n";
    EXPECT_THAT(launch(head + "out[threadIdx.x] = a[63 - threadIdx.x];", 64, 2),
                AllOf(HasSubstr("block 1"), HasSubstr("of shared memory, which this block has not written yet")));
    EXPECT_EQ(launch(head + "if (blockIdx.x == 0) out[threadIdx.x] = a[63 - threadIdx.x];", 64, 2), "");
}

TEST_F(misuse, a_read_through_a_wild_pointer) {
    EXPECT_THAT(launch("out[threadIdx.x] = x[100000000LL * n];"), HasSubstr("far from all of the device's memory"));
}

TEST_F(misuse, a_misaligned_vector) {
    EXPECT_THAT(launch("out[threadIdx.x] = reinterpret_cast<const double2*>(x + 1)[n / 64].x;"),
                HasSubstr("line 2: an access is not aligned"));
}

TEST_F(misuse, an_index_outside_a_shared_array) {
    EXPECT_THAT(
        launch("__shared__ double a[2][32];\n\na[0][threadIdx.x] = x[n - 1];\nout[threadIdx.x] = a[0][threadIdx.x];"),
        HasSubstr("thread 32, line 4: an index is outside its array"));
}

TEST_F(misuse, a_signed_overflow) {
    const auto overflow = [&](const std::string& of) {
        return launch("int i = int(x[0]) * 2147483647;\nlong long l = i;\nl <<= 32;\nif (threadIdx.x == 32) " + of +
                      ";\nout[threadIdx.x] = i + double(l) * n;");
    };
    for (const char* of : {"i += 1", "i *= 3", "i = -2 - i", "i = -(-i - 1)", "l = l * 2"})
        EXPECT_THAT(overflow(of), AllOf(HasSubstr("thread 32, line 5: a signed "), HasSubstr(" overflows"))) << of;
    EXPECT_EQ(overflow("i = int(unsigned(i) * 3u)"), "");
}

TEST_F(misuse, a_race_between_warps) {
    EXPECT_THAT(launch("__shared__ double a[64];\na[threadIdx.x] = 0;\n__syncthreads();\na[threadIdx.x] = x[n - 1];\n"
                       "out[threadIdx.x] = a[63 - threadIdx.x];"),
                HasSubstr("of shared memory, which thread"));
}

TEST_F(misuse, a_race_within_a_warp) {
    const std::string head =
        "__shared__ double a[64];\na[threadIdx.x] = 0;\n__syncwarp();\na[threadIdx.x] = x[n - 1];\n";
    const std::string tail = "out[threadIdx.x] = a[threadIdx.x ^ 1];";
    EXPECT_THAT(launch(head + tail), HasSubstr("no barrier between them"));
    EXPECT_EQ(launch(head + "__syncwarp();\n" + tail), "");
}

// Overwriting what another thread still reads: the barrier after the loop's reads is missing.
TEST_F(misuse, a_write_after_a_read) {
    const std::string head =
        "__shared__ double a;\nfor (int i = 0; i < n; ++i) {\nif (threadIdx.x == 0) a = x[i];\n"
        "__syncthreads();\nout[threadIdx.x] = a;\n";
    EXPECT_THAT(launch(head + "}"), AllOf(HasSubstr("writes byte 0 of shared memory"), HasSubstr("no barrier")));
    EXPECT_EQ(launch(head + "__syncthreads();\n}"), "");
}

TEST_F(misuse, two_blocks_write_one_element) {
    const std::string race = "that block 0 uses too, one of them writing, and no fence, flag or barrier orders";
    EXPECT_THAT(launch("out[threadIdx.x] = x[n - 1];", 64, 2),
                AllOf(HasSubstr("block 1, thread 0: writes 8 bytes " + race), HasSubstr("at byte 0 of 512 allocated")));
    EXPECT_EQ(launch("out[32 * blockIdx.x + threadIdx.x] = x[n - 1];", 32, 2), "");
    const kernel_source bytes(device, "bytes", R"(
        extern "C" __global__ void bytes(unsigned char* out, int shared) { out[blockIdx.x / shared] = 1; })");
    const device_array<unsigned char> narrow(device, 8);
    EXPECT_NO_THROW(bytes.launch(8, 1, narrow.p, 1)) << "bytes of one word";
    EXPECT_THROW(bytes.launch(8, 1, narrow.p, 2), error);
    const kernel_source count(device, "count", R"(
        extern "C" __global__ void count(unsigned* out, unsigned* all, int looks) {
            atomicAdd(all, 1u);
            out[blockIdx.x] = looks ? *all : 0;
        })");
    const device_array<unsigned> out_of(device, 3), all(device, std::vector<unsigned>{0});
    EXPECT_NO_THROW(count.launch(3, 1, out_of.p, all.p, 0)) << "atomics";
    EXPECT_THROW(count.launch(3, 1, out_of.p, all.p, 1), error) << "and a plain read of what they count";
}

// Block 0 hands 32 elements on to block 1, in whatever order the blocks begin.
TEST_F(misuse, a_block_reads_what_another_one_writes) {
    const std::string write =
        "volatile double* flag = out + n - 1;\nif (blockIdx.x == 0) {\nout[threadIdx.x] = x[0];\n";
    const std::string read = "} else {\n", copy = "out[32 + threadIdx.x % 31] = out[threadIdx.x];\n}";
    const std::string fence = "__threadfence();\n", barrier = "__syncthreads();\n";
    const std::string set = barrier + "if (threadIdx.x == 0) *flag = 2;\n";
    const std::string wait = "if (threadIdx.x == 0) while (*flag != 2) __nanosleep(10);\n" + barrier;
    for (const run_order order : {run_order::forward, run_order::reverse}) {
        device.set_order(order);
        const auto run = [&](const std::string& body) {
            device.fill_zero(out.p, 64 * sizeof(double));
            return launch(body, 32, 2);
        };
        EXPECT_EQ(run(write + fence + set + read + wait + fence + copy), "");
        EXPECT_THAT(run(write + read + "(void)flag;\n" + copy), HasSubstr("uses too, one of them writing"));
        EXPECT_THAT(run(write + set + read + wait + fence + copy), HasSubstr("reads 8 bytes that block 0 uses too"))
            << "a fence";
        EXPECT_THAT(run(write + fence + set + read + wait + copy), HasSubstr("reads 8 bytes that block 0 uses too"))
            << "a fence";
        EXPECT_THAT(
            run(write + fence + barrier + "if (threadIdx.x == 0) out[n - 1] = 2;\n" + read + wait + fence + copy),
            HasSubstr("uses too, one of them writing"))
            << "a flag that is a plain variable";
    }
    device.set_order(run_order::forward);
}

TEST_F(misuse, a_trap) {
    EXPECT_THAT(launch("if (threadIdx.x == 3) __trap();\nout[threadIdx.x] = x[n - 1];"),
                HasSubstr("block 0, thread 3, line 2: __trap() was called"));
}

// Blocks that wait for each other: in vain, with one of them stuck elsewhere, and more of them than run at once.
TEST_F(misuse, blocks_wait_in_vain) {
    const std::string spin =
        "volatile double* y = out;\nif (threadIdx.x == 0)\nwhile (y[n - 1] != 2) __nanosleep(10);\n";
    device.fill_zero(out.p, 64 * sizeof(double));
    EXPECT_THAT(launch(spin + "__syncthreads();\nout[0] = x[0];", 64, 2),
                AllOf(HasSubstr("line 5: __syncthreads was reached by 63 of 64 threads"),
                      HasSubstr("thread 0 sleeps in line 4"), HasSubstr("2 blocks wait and none goes on")));
    EXPECT_THAT(launch("if (blockIdx.x == 0) {\n" + spin + "} else if (threadIdx.x == 3) {\n__syncthreads();\n}\n" +
                           "out[blockIdx.x] = x[0];",
                       64, 2),
                HasSubstr("block 1, thread 3, line 7: __syncthreads was reached by 1 of 64 threads"));
    EXPECT_THAT(launch(spin + "if (threadIdx.x == 0 && blockIdx.x == 0) y[n - 1] = 2;\nout[blockIdx.x] = x[0];", 64, 2),
                HasSubstr("block 0, thread 0 sleeps in line 4; 2 blocks wait"));
}

TEST_F(misuse, more_blocks_wait_than_run_at_once) {
    const kernel_source k(device, "meet", R"(
        extern "C" __global__ void meet(unsigned* arrived) {
            if (threadIdx.x == 0) {
                atomicAdd(arrived, 1u);
                while (*static_cast<volatile unsigned*>(arrived) < gridDim.x) __nanosleep(10);
            }
            __syncthreads();
        })");
    for (const int blocks : {16, 17}) {  // four multiprocessors of 1024 threads
        const device_array<unsigned> arrived(device, std::vector<unsigned>{0});
        std::string message;
        try {
            k.launch(blocks, 256, arrived.p);
        } catch (const error& e) {
            message = e.what();
        }
        if (blocks == 16)
            EXPECT_EQ(message, "");
        else
            EXPECT_THAT(message, HasSubstr("16 blocks wait and none goes on, the other 1 have no room to start"));
    }
}

// Two blocks that are a cluster, of which each reads what the other one has written.
TEST_F(misuse, blocks_of_a_cluster_do_not_meet) {
    const auto of_cluster = [&](const std::string& body) { return launch(body, 64, 2, "__cluster_dims__(2)"); };
    const std::string meet = "__cluster_barrier_arrive();\n__cluster_barrier_wait();\n";
    const std::string write = "__shared__ double a;\nif (threadIdx.x == 0) a = x[n - 1] + blockIdx.x;\n";
    const std::string read =
        "out[blockIdx.x] = *static_cast<double*>(__cluster_map_shared_rank(&a, 1 - blockIdx.x));\n";
    EXPECT_EQ(of_cluster(write + meet + read + meet), "");
    EXPECT_EQ(out.values()[0], 2.0);
    EXPECT_EQ(out.values()[1], 1.0);
    EXPECT_THAT(of_cluster(write + read + meet),
                HasSubstr("line 4: block 1 of the cluster has not begun or has ended"));
    const std::string between = "with no barrier of the cluster between them";
    EXPECT_THAT(of_cluster(meet + write + read + meet), HasSubstr(between));
    EXPECT_THAT(of_cluster(write + meet + read), HasSubstr("block 0 has ended, and its cluster may still read"));
    EXPECT_THAT(of_cluster(write + meet + read + "__syncthreads();\nif (threadIdx.x == 0) a = 0;\n" + meet),
                AllOf(HasSubstr("writes byte 0 of shared memory, which another block reads"), HasSubstr(between)));
    EXPECT_THAT(of_cluster("if (blockIdx.x == 0) {\n" + meet + "}\nout[blockIdx.x] = x[n - 1];"),
                HasSubstr("block 0, thread 0 sleeps in line 4; 1 blocks wait and none goes on"));
    EXPECT_THAT(of_cluster("__cluster_barrier_wait();\nout[blockIdx.x] = x[n - 1];"),
                HasSubstr("without an arrival before"));
}

TEST_F(misuse, launches_that_no_device_takes) {
    const kernel_source k(device, "bound",
                          "extern \"C\" __global__ void __launch_bounds__(128, 2) bound(int n) { (void)n; }");
    EXPECT_NO_THROW(k.launch(1, 128, 1));
    EXPECT_THROW(k.launch(1, 129, 1), error);
    const kernel_source pair(device, "pair",
                             "extern \"C\" __global__ void __cluster_dims__(2) pair(int n) { (void)n; }");
    EXPECT_NO_THROW(pair.launch(4, 32, 1));
    EXPECT_THROW(pair.launch(3, 32, 1), error);
    EXPECT_THROW(k.launch(0, 32, 1), error);
    EXPECT_THROW(k.launch(1, 0, 1), error);
    EXPECT_THROW(k.launch_with_shared(64, 1, 32, 1), error);
    EXPECT_THROW(kernel_source(device, "big",
                               "extern \"C\" __global__ void big(int* out) {\n__shared__ int a[20000];\n"
                               "a[threadIdx.x] = 1;\n__syncthreads();\n*out = a[99];\n}"),
                 error);
}

TEST_F(misuse, source_that_does_not_compile) {
    try {
        device.compile("// a heading\nextern \"C\" __global__ void bad(double* out) {\n    const int unused = 1;\n}\n");
        FAIL() << "an unused variable is an error in generated text";
    } catch (const error& e) {
        EXPECT_THAT(e.what(), AllOf(HasSubstr("kernel.cu:3"), HasSubstr("unused"), HasSubstr("   1 | // a heading\n")));
    }
}

TEST_F(misuse, memory_given_back_wrongly) {
    void* p = device.allocate(100);
    device.deallocate(p, 99);
    EXPECT_THROW(device.synchronize(), error);
    device.deallocate(p, 100);
    EXPECT_THROW(device.synchronize(), error);
    EXPECT_NO_THROW(device.synchronize());
    auto* bytes = static_cast<char*>(device.allocate(10));
    bytes[10] = 1;  // as a library that bypasses the device might
    EXPECT_THROW(device.synchronize(), error);
    EXPECT_NO_THROW(device.synchronize());
    device.deallocate(bytes, 10);
    EXPECT_THROW(device.copy_from_host(x.p + 60, bytes, 48), error);
}

}  // namespace
}  // namespace sinter::emulate
