// Stencil schedules: when they are chosen, with which windows, and that the generated kernels compute what they should.
#include <tests/codegen/render_running.hpp>

namespace sinter::codegen {
namespace {

using testing::chosen;
using testing::expect_right;
using testing::kernel_builder;
using testing::second_difference;
using testing::wide;

bool is_stencil(const schedule& s) { return s.form == schedule_form::stencil; }

/// u at (row, column) of a halo of one, summed over the given places.
loop_nest sum_of_places(std::int64_t rows, std::int64_t columns, const std::vector<std::pair<int, int>>& places) {
    kernel_builder b;
    const int i = b.outer(rows), j = b.outer(columns);
    int total = -1;
    for (const auto& [row, column] : places) {
        const int input = b.input(dtype::float32);
        b.k.inputs[static_cast<std::size_t>(input)].leaf = 0;
        b.k.inputs[static_cast<std::size_t>(input)].offset = row * (columns + 2) + column;
        const int x = b.load(input, {{i, columns + 2}, {j, 1}});
        total = total < 0 ? x : b.op("add", {total, x});
    }
    b.store(total, {{i, columns}, {j, 1}});
    return b.k;
}

loop_nest five_point(std::int64_t rows, std::int64_t columns) {
    return sum_of_places(rows, columns, {{1, 0}, {1, 2}, {0, 1}, {1, 1}, {2, 1}});
}

/// The alignments of a kernel whose array begins at a multiple of 16 bytes.
std::vector<int> aligned(const loop_nest& k) {
    std::vector<int> all;
    for (const kernel_input& in : k.inputs) all.push_back(in.offset % 4 == 0 ? 16 : in.offset % 2 == 0 ? 8 : 4);
    all.push_back(16);
    return all;
}

schedule scheduled(const loop_nest& k, int multiprocessors) {
    device_properties m;
    m.multiprocessors = multiprocessors;
    return choose_schedule(k, m, aligned(k));
}

// Rows of one array that begin one element before the next one: the first row's window would begin before the array.
TEST(Stencil, NotWhereAWindowWouldLeaveTheArray) {
    const auto rows_at = [](std::int64_t first, std::int64_t second, std::int64_t elements) {
        loop_nest k = sum_of_places(8190, 8190, {{0, 0}, {0, 0}});
        k.inputs[0].offset = first, k.inputs[1].offset = second;
        k.inputs[0].elements = k.inputs[1].elements = elements;
        return scheduled(k, 132);
    };
    const std::int64_t row = 8192, all = 8192 * 8191;
    EXPECT_TRUE(is_stencil(rows_at(0, row, all)));
    EXPECT_TRUE(is_stencil(rows_at(1, row, all)));
    EXPECT_FALSE(is_stencil(rows_at(0, row - 1, all)));
    EXPECT_TRUE(is_stencil(rows_at(0, row + 1, all)));
    EXPECT_FALSE(is_stencil(rows_at(0, row + 1, all - 2)));
}

TEST(Stencil, WhereAnArrayIsReadAFewRowsApart) {
    EXPECT_EQ(describe(scheduled(five_point(8190, 8190), 132)),
              "stencil: 8 rows of 2 results per thread, 128 threads per block, 1 window in registers");
    EXPECT_TRUE(is_stencil(chosen(second_difference(8190, 8190), 132)));
    EXPECT_FALSE(is_stencil(chosen(second_difference(8190, 100), 132)));  // a block would not fill a row
    EXPECT_FALSE(is_stencil(chosen(second_difference(500, 500), 132)));   // too few blocks
    loop_nest far = second_difference(8190, 8190);
    for (kernel_input& input : far.inputs) input.offset *= 20;
    EXPECT_FALSE(is_stencil(chosen(far, 132)));  // no window has both rows
    loop_nest apart = second_difference(8190, 8190);
    for (std::size_t i = 0; i < apart.inputs.size(); ++i) apart.inputs[i].leaf = static_cast<int>(i);
    EXPECT_FALSE(is_stencil(chosen(apart, 132)));                                                // different arrays
    EXPECT_FALSE(is_stencil(chosen(sum_of_places(8190, 8190, {{0, 0}, {0, 1}, {0, 2}}), 132)));  // one row
}

TEST(Stencil, WindowsHoldWhatIsRead) {
    const schedule s = scheduled(five_point(8190, 8190), 132);
    ASSERT_EQ(s.stencil.windows.size(), 1u);
    const stencil_window& w = s.stencil.windows[0];
    EXPECT_EQ(std::tuple(w.rows, w.first, w.last), std::tuple(3, -1, 1));
    EXPECT_EQ(s.vector_width, 2);  // the result's rows are no multiple of four, and four columns are two whole accesses
    EXPECT_EQ(scheduled(five_point(8190, 8191), 132).vector_width, 1);
    EXPECT_EQ(scheduled(sum_of_places(8190, 8192 - 2, {{0, 0}, {1, 0}}), 132).vector_width, 2);
    EXPECT_EQ(scheduled(sum_of_places(8190, 8192 + 2, {{0, 0}, {1, 0}}), 132).vector_width, 2);
    // two results need three columns, which are no whole accesses
    EXPECT_EQ(scheduled(sum_of_places(8190, 8192 - 2, {{0, 0}, {1, 1}}), 132).vector_width, 1);
}

// The interpreter gives each input an array of its own; here they are places of one.
TEST(Stencil, EveryExtent) {
    emulate::emulated_device& device = testing::emulated();
    for (const auto& [rows, columns] : {std::pair{64, 256}, {33, 300}, {17, 999}, {2, 6000}, {40, 261}}) {
        const loop_nest k = five_point(rows, columns);
        for (schedule s : {scheduled(k, 1), wide(scheduled(k, 1))}) {
            SCOPED_TRACE(::testing::Message() << rows << " by " << columns << ": " << describe(s));
            ASSERT_TRUE(is_stencil(s));
            const printed_kernel r = print_kernel(k, s, "");
            const auto width = static_cast<std::size_t>(columns + 2);
            std::vector<float> u(static_cast<std::size_t>(rows + 2) * width);
            std::mt19937 random(3);
            for (float& x : u) x = static_cast<float>(random() % 1000);
            const std::size_t size = static_cast<std::size_t>(rows * columns);
            auto* from = static_cast<float*>(device.allocate(u.size() * sizeof(float)));
            auto* to = static_cast<float*>(device.allocate(size * sizeof(float)));
            device.copy_from_host(from, u.data(), u.size() * sizeof(float));
            std::vector<std::uint64_t> values;
            for (const parameter& p : r.parameters)
                values.push_back(
                    p.what == parameter::kind::output ? reinterpret_cast<std::uint64_t>(to)
                    : p.what == parameter::kind::input
                        ? reinterpret_cast<std::uint64_t>(from + k.inputs[static_cast<std::size_t>(p.index)].offset)
                        : static_cast<std::uint64_t>(launch_value(k, s, p)));
            std::vector<void*> pointers;
            for (std::uint64_t& v : values) pointers.push_back(&v);
            device.launch(emulate::load_rendered(device, r), grid_size(k, s), s.block_threads, 0, pointers.data());
            std::vector<float> got(size);
            device.copy_to_host(got.data(), to, size * sizeof(float));
            for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
                for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
                    const float* at = u.data() + i * width + j;
                    ASSERT_EQ(got[i * static_cast<std::size_t>(columns) + j],
                              at[width] + at[width + 2] + at[1] + at[width + 1] + at[2 * width + 1])
                        << i << ", " << j;
                }
            device.deallocate(from, u.size() * sizeof(float));
            device.deallocate(to, size * sizeof(float));
        }
    }
}

}  // namespace
}  // namespace sinter::codegen
