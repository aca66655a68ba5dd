// Phase barriers and copies of boxes: what they compute, and the errors that are detected.
#include <codegen/verify/verify.hpp>
#include <sinter/error.hpp>
#include <tests/interpret/small_programs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sinter::interpret {
namespace {

using namespace codegen::device_ir;

constexpr int width = 72, height = 12, stride = 80, lines = 8, buffers = 2, layers = 2, boxes = 4 * layers;
constexpr int layer_stride = stride * 16;
constexpr int box_elements = lines * swizzled_elements;

/// Warp 1 copies the four boxes of each of two small matrices, one after the other, to two buffers, which warp 0
/// stores.
struct how_to_copy {
    bool initialises = true, waits_for_free = true, waits_for_bytes = true, frees = true, arrives = true;
    int bytes = lines * 128, arrivals = 1;
};

class copied_boxes {
public:
    explicit copied_boxes(const how_to_copy& wanted) : how(wanted) {
        out = p.parameter("out", dtype::uint16, kind::output);
        from = p.parameter("from", dtype::uint16, kind::input);
        const id space_of_map = p.parameter("workspace", dtype::uint8, kind::workspace);
        device_ir::array t;
        t.name = "tile", t.where = space::shared, t.type = dtype::uint16;
        t.extents = {buffers, 1, lines, swizzled_elements}, t.swizzled = true, t.alignment = 1024;
        tile = p.b.declare(t);
        filled = barriers("filled", 1), emptied = barriers("emptied", how.arrivals);
        p.b.barrier(barrier_scope::block);
        lane = p.b.let_index("lane", dtype::int32, p.b.thread() % 32);
        p.b.open_branch(0 < p.b.thread() / 32);
        copy(p.b.carve({"map", space::global, dtype::uint8, {}}, space_of_map, {}));
        p.b.otherwise();
        store();
        p.b.close();
        p.b.made.block_threads = 64;
    }
    program made() const { return p.b.made; }

private:
    scalar at(int n) { return p.b.integer(n); }

    id barriers(const char* name, int arrivals) {
        device_ir::array a;
        a.name = name, a.where = space::shared, a.type = dtype::uint64, a.extents = {buffers}, a.is_barrier = true;
        const id made_here = p.b.declare(a);
        if (how.initialises) p.b.init_barriers(p.b.element(made_here, {at(0)}), arrivals);
        return made_here;
    }

    void copy(id map) {
        const scalar apart = p.b.let_index("apart", dtype::int32, at(stride));
        const scalar of_layer = p.b.let_index("of_layer", dtype::int32, at(layer_stride));
        p.b.tensor_map(map,
                       p.b.memory(from, {{2, at(0).at, none}, {1, at(0).at, apart.at}, {0, at(0).at, of_layer.at}}),
                       {at(width), at(height), at(layers)}, lines);
        p.b.open_branch(lane == 0);
        const scalar box = p.b.open_loop("box", dtype::int32, at(0), at(boxes), at(1), 1);
        const scalar now = p.b.let_index("now", dtype::int32, box % buffers);
        if (how.waits_for_free) p.b.wait_phase(p.b.element(emptied, {now}), 1 - box / buffers % 2);
        if (how.arrives) p.b.arrive(p.b.element(filled, {now}), how.bytes);
        p.b.copy_box(p.b.element(tile, {now, at(0), at(0), at(0)}), map,
                     {box % 2 * swizzled_elements, box / 2 % 2 * lines, box / 4}, p.b.element(filled, {now}));
        p.b.close();
        p.b.close();
    }

    void store() {
        const scalar box = p.b.open_loop("box", dtype::int32, at(0), at(boxes), at(1), 1);
        const scalar now = p.b.let_index("now", dtype::int32, box % buffers);
        if (how.waits_for_bytes) p.b.wait_phase(p.b.element(filled, {now}), box / buffers % 2);
        const scalar e = p.b.open_loop("e", dtype::int32, at(0), at(box_elements / 32), at(1), 1);
        const scalar n = p.b.let_index("n", dtype::int32, e * 32 + lane);
        p.b.assign(p.at(out, box * box_elements + n),
                   p.b.element(tile, {now, at(0), n / swizzled_elements, n % swizzled_elements}));
        p.b.close();
        p.b.barrier_of_threads(32);
        p.b.open_branch(lane == 0);
        if (how.frees) p.b.arrive(p.b.element(emptied, {now}));
        p.b.close();
        p.b.close();
    }

    small_program p;
    const how_to_copy how;
    id out = none, from = none, tile = none, filled = none, emptied = none;
    scalar lane;
};

std::uint16_t number_at(int layer, int line, int along) {
    return static_cast<std::uint16_t>(layer * 10000 + line * 100 + along + 1);
}

std::string run_copies(const how_to_copy& how, unsigned seed, std::vector<std::uint16_t>* result = nullptr) {
    plain_memory memory;
    std::vector<std::uint16_t> from;
    for (int layer = 0; layer < layers; ++layer)
        for (int l = 0; l < layer_stride / stride; ++l)
            for (int i = 0; i < stride; ++i) from.push_back(number_at(layer, l, i));
    auto* const out = memory.allocate<std::uint16_t>(boxes * box_elements);
    auto* const space = memory.allocate<char>(256);
    const auto begin = (reinterpret_cast<std::uintptr_t>(space) + 127) / 128 * 128;
    const std::string wrong = run(memory, copied_boxes(how).made(), 1, 64,
                                  {out, memory.allocate(from), reinterpret_cast<void*>(begin)}, seed);
    if (result != nullptr) *result = memory.values(out, boxes * box_elements);
    return wrong;
}

/// In some order of the warps.
void expect_found(const how_to_copy& how, const std::string& words) {
    std::string found;
    for (unsigned seed = 0; seed < 8 && found.find(words) == std::string::npos; ++seed) found = run_copies(how, seed);
    EXPECT_NE(found.find(words), std::string::npos) << found;
}

TEST(InterpretPipelines, BoxesAreZeroBeyondTheEnds) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        std::vector<std::uint16_t> result;
        ASSERT_EQ(run_copies({}, seed, &result), "");
        for (int box = 0; box < boxes; ++box)
            for (int n = 0; n < box_elements; ++n) {
                const int line = box / 2 % 2 * lines + n / swizzled_elements;
                const int along = box % 2 * swizzled_elements + n % swizzled_elements;
                const std::uint16_t expected = line < height && along < width ? number_at(box / 4, line, along) : 0;
                ASSERT_EQ(result[static_cast<std::size_t>(box * box_elements + n)], expected) << line << ", " << along;
            }
    }
}

TEST(InterpretPipelines, MissingWaitsAreFound) {
    how_to_copy how;
    how.waits_for_free = false;
    expect_found(how, "wait in vain");  // phases go by
    how = {};
    how.waits_for_bytes = false;
    expect_found(how, "while a copy to it is under way");
    how = {};
    how.frees = false;
    expect_found(how, "wait in vain");
}

TEST(InterpretPipelines, WrongArrivalsAreFound) {
    how_to_copy how;
    how.initialises = false;
    expect_found(how, "that is not initialised");
    how = {};
    how.arrives = false;
    expect_found(how, "has not arrived at the barrier");
    how = {};
    how.bytes = 512;
    expect_found(how, "wait in vain");
    how = {};
    how.arrivals = 2;
    expect_found(how, "wait in vain");
}

void expect_refused(const std::function<void(program&)>& change, const std::string& why) {
    program p = copied_boxes({}).made();
    change(p);
    try {
        verify(p, {});
        ADD_FAILURE() << why;
    } catch (const error& e) {
        EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
    }
}

void change_all(std::vector<statement>& all, statement_kind what, const std::function<void(statement&)>& change) {
    for (statement& s : all) {
        if (s.kind == what) change(s);
        change_all(s.body, what, change);
        change_all(s.otherwise, what, change);
    }
}

TEST(InterpretPipelines, VerificationKnowsWhatTheyTake) {
    EXPECT_NO_THROW(verify(copied_boxes({}).made(), {}));
    const auto with = [](statement_kind what, const std::function<void(statement&)>& change) {
        return [what, change](program& p) { change_all(p.body, what, change); };
    };
    expect_refused(with(statement_kind::wait_phase, [](statement& s) { s.target = s.value; }), "is no phase barrier");
    expect_refused(with(statement_kind::copy_box, [](statement& s) { s.limit = s.value; }), "is no phase barrier");
    expect_refused(with(statement_kind::copy_box, [](statement& s) { s.target = s.limit; }), "not in a swizzled array");
    expect_refused(with(statement_kind::tensor_map, [](statement& s) { s.value = s.target; }), "no lines of elements");
    const auto first_map = [](program& p) -> expression& {
        id of = none;
        change_all(p.body, statement_kind::tensor_map, [&](statement& s) { of = s.target; });
        return p.expressions[static_cast<std::size_t>(of)];
    };
    expect_refused([&](program& p) { first_map(p).terms.pop_back(); }, "how far each term goes");
    expect_refused(with(statement_kind::barrier, [](statement& s) { s.count = 64; }), "not all of the first threads");
}

}  // namespace
}  // namespace sinter::interpret
