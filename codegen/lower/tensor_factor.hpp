// Staging of one factor of a contraction on tensor cores: from global memory, in slices of `depth` steps through shared
// memory, to the fragments of a warp. A plain array is copied asynchronously; anything else is loaded into registers
// while the warps multiply, or fetched to shared memory several slices ahead, then computed and written.
#pragma once

#include <codegen/lower/contraction_tile.hpp>
#include <codegen/lower/element.hpp>
#include <codegen/schedule/tensor.hpp>

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace sinter::codegen::lower {

/// How a factor's slices are staged.
struct factor_slices {
    int loop = 0;               ///< the loop whose steps they are
    int depth = 16;             ///< steps per slice
    int stages = 1;             ///< slices in shared memory at once
    int warps = 1;              ///< warps that divide the side's elements
    bool along_steps = false;   ///< neighbours in memory are steps; else they are along the side
    bool is_right = false;      ///< its fragments are right factors
    bool keeps_steps = false;   ///< the fragments of all steps of a slice stay in registers
    bool swizzled = false;      ///< for products of warpgroups, which read shared memory; else for fragments
    bool side_stays = false;    ///< all slices are of the same elements of the side
    bool by_boxes = false;      ///< copied by copy_boxes() alone
    bool fetches = false;       ///< unless copied: fetch() and write_fetched() in place of load() and write()
    bool in_registers = false;  ///< compute_steps() and let_fragment() in place of all that
    bool repeats = false;       ///< steps are along the loop's last axis, for each index of the one before
    bool late = false;          ///< unless copied: stage() in place of load() and write()
};

class tensor_factor {
public:
    int groups_of_registers() const { return steps_of_registers(c.s.tensor) / 32; }  ///< of steps

    /// `factor`: a value that varies along `side` of the tile.
    tensor_factor(lowering& shared, int factor, const tile_side& side, const factor_slices& slices);

    bool is_copied() const { return copied_; }
    bool is_late() const { return how_.late; }
    /// `lane`: that of the thread within its warp.
    void declare(const scalar& lane);
    /// Begins to copy the slice from step `first` on to a buffer.
    void copy(const scalar& buffer, const scalar& first);
    // tensor_boxes.cpp
    /// Writes how copies find the factor's boxes to the workspace, from `first_byte` on. By all lanes of a warp.
    void map_boxes(const scalar& first_byte);
    /// Begins to copy the slice from step `first` on to a buffer. By one thread, which has arrived at the barrier.
    void copy_boxes(const scalar& buffer, const scalar& first, const scalar& barrier);
    std::vector<int> axes_of_layers() const;
    int slice_bytes() const { return lines() * run() * 16; }

    /// Loads what a thread's elements of all slices share, which load() leaves out.
    void load_once();
    /// Loads that slice into registers; write() computes the factor from these and writes it.
    void load(const scalar& first);
    void write(const scalar& buffer, const scalar& first);
    /// Loads, computes and writes that slice, chunk by chunk, with registers for as many as the compiler likes.
    void stage(const scalar& buffer, const scalar& first);
    /// Begins to copy what that slice is computed of; write_fetched() computes it from there, into one of two buffers.
    void fetch(const scalar& from, const scalar& first);
    void write_fetched(const scalar& buffer, const scalar& from, const scalar& first);
    // tensor_in_registers.cpp
    /// Loads a warp's elements of all its steps from `first` on.
    void load_steps(const scalar& first);
    /// Loads what all parts of group `number` share, where `more` holds, if given.
    void load_shared(const scalar& number, const scalar& first, const scalar& more = {});
    /// Parts of a group of 32 steps, of which one after the other is computed: halves of the steps where neighbours lie
    /// along the side of a right factor, else its fragments; 1 of a left factor.
    int parts_of_group() const;
    /// Computes part `part` of group `number` from step `first` on, and loads what follows from `next` on where `more`
    /// holds.
    void compute_part(const scalar& number, const scalar& part, const scalar& first, const scalar& next,
                      const scalar& more);
    /// Sets fragment `number` to the 16 steps of `half` of the group, of which that part was computed.
    void let_fragment(const scalar& number, const scalar& half);
    bool is_along_steps() const { return how_.along_steps; }
    /// Whether all of a warp's elements from step `first` on are there.
    scalar are_inside(const scalar& first) const;
    /// Until it is set again, elements are there if this holds.
    void set_whole(const scalar& whole) { whole_slice_ = whole; }
    /// Loads the warp's fragment `number`: 16 rows (columns) from `along` on, 16 steps from `step` on of the slice.
    /// Of a factor that is split (schedule/factor_parts.hpp), the fragments of all its parts.
    void read_fragment(const scalar& buffer, const scalar& along, const scalar& step, const scalar& number);
    /// The operand of a warpgroup's product: rows (columns) from `along` on, 16 steps from `step` on of the slice.
    device_ir::builder::warpgroup_factor operand(const scalar& buffer, const scalar& along, const scalar& step);
    scalar fragment(const scalar& number) { return c.b.element(fragments_, {number}); }
    scalar fragment(const scalar& number, const scalar& step, int part = 0);
    int parts() const { return parts_; }

private:
    static constexpr int chunk_elements = 8;  ///< 16 bytes of a half type
    /// Of any type that is copied by boxes: in 16 bytes, and in a swizzled line.
    int chunk_of_line() const { return 16 / static_cast<int>(size_of(type_)); }
    int line_elements() const { return device_ir::swizzled_elements_of(type_); }
    struct staged {
        int load = -1;
        int given = -1;        ///< what the function takes: the load, or what it is widened to
        bool wide = false;     ///< 8 neighbours per access
        bool varies = false;   ///< between neighbours
        bool by_chunk = true;  ///< between a thread's chunks
        bool by_slice = true;  ///< from slice to slice
        device_ir::id next = device_ir::none;
        device_ir::id fetched = device_ir::none;  ///< in shared memory
        device_ir::id from = device_ir::none;     ///< a view of the array that begins at a lane's first element
    };
    /// A value of the side's elements, computed once. See keep_outside().
    struct kept_value {
        int value = -1;
        device_ir::id at = device_ir::none;
    };
    /// 8 elements that a thread stages at once: their indices in shared memory and in the array.
    struct chunk {
        scalar line, panel, first;  ///< in shared memory; swizzled lines are 64 elements of a panel
        scalar along, step;         ///< on the tile's side, in the loop
        scalar position;            ///< among those of the slice
        std::vector<scalar> number;
        scalar beside, further;  ///< along the side and the loop, from a lane's first element on
    };

    /// The chunks of a thread whose place in a slice is the same in all slices, from one `line` to the next.
    struct steady_chunks {
        scalar line, panel, first;
        scalar side_first;                     ///< of the tile's side, when they were declared
        device_ir::id from = device_ir::none;  ///< a view of the array that begins at the first one
    };

    /// Whether a thread's chunks are at one place of all lines.
    bool is_regular() const { return how_.in_registers || c.s.block_threads % run() == 0; }
    int chunks_of_thread() const { return (count() + c.s.block_threads - 1) / c.s.block_threads; }
    bool has_shared_values() const;
    bool is_steady() const;
    void declare_steady();
    void copy_steady(const scalar& buffer, const scalar& first);
    void tell_whole_slices(const scalar& first, const std::function<void()>& body);
    void copy_chunks(const scalar& buffer, const scalar& first);
    scalar beside(const scalar& panel, const scalar& part) const;
    int count() const { return lines() * run(); }
    int lines() const { return how_.along_steps ? side_.size() : how_.depth; }
    int run() const;
    int fast_axis() const { return how_.along_steps ? steps().back() : side_.axes[0]; }
    int buffers() const { return how_.fetches && !copied_ ? 2 : how_.stages; }
    std::map<int, int> widened_loads(int factor) const;
    std::optional<scaled_bytes> find_pairs() const;
    element_function function_of_factor();
    void declare_registers();
    device_ir::array array_for(const staged& l);
    void declare_kept();
    void keep_outside();
    void keep(const scalar& along, const std::vector<scalar>& index);
    bool is_kept(int v) const;
    scalar outside(int v, const chunk& at, const scalar& e);
    std::vector<int> axes_around() const;
    void each_chunk(const scalar& first, const std::function<void(const chunk&)>& body, bool names_place = true);
    scalar is_inside(const scalar& along, const scalar& step);
    void set_place(const scalar& along, const scalar& step);
    chunk chunk_at(const scalar& q, const scalar& first, bool names_place = true);
    void find_shared_loads();
    using staged_loads = std::vector<const staged*>;
    int positions() const;
    void declare_views();
    scalar loaded(const staged& l, const chunk& at, int elements);
    scalar along_of_lane(const scalar& position) const;
    chunk chunk_of_lane(const scalar& position, const scalar& number, const scalar& first, bool names_place = true);
    void load_lane_once();
    int positions_of_part() const { return positions() / parts_of_group(); }
    void load_part(const scalar& number, const scalar& part, const scalar& first);
    std::vector<scalar> kept_index(const chunk& at) const;
    staged_loads loads_that(bool by_chunk, bool by_slice) const;
    void load_first_chunk(const staged_loads& loads, const scalar& first);
    void load_chunk(const staged_loads& loads, const chunk& at);
    std::vector<scalar> index_of(const staged& l, const chunk& at) const;
    device_ir::id compute_chunk(const chunk& at);
    void write_chunk(const scalar& buffer, const chunk& at);
    void compute_each(device_ir::id part, const chunk& at);
    void compute_pairs(device_ir::id part, const chunk& at);
    void let_outside();
    std::map<int, device_ir::id> widen(const chunk& at);
    scalar in_memory(const staged& l, int elements);
    scalar line_of(const scalar& buffer, const chunk& at, int part = 0);
    void write_parts(const scalar& buffer, const chunk& at);
    /// The loop's axes along which slices go.
    std::vector<int> steps() const {
        const std::vector<int>& axes = c.k.loops[static_cast<std::size_t>(how_.loop)].axes;
        return how_.repeats ? std::vector<int>{axes.back()} : axes;
    }
    scalar step_count() { return how_.repeats ? c.extent(steps()[0]) : c.trips(how_.loop); }
    scalar further(const scalar& index, bool moves, const scalar& e) const { return moves ? index + e : index; }

    lowering& c;
    const int value_;
    const int parts_;  ///< of each number, and their type
    const dtype type_;
    const tile_side& side_;
    const factor_slices how_;
    scalar lane_;
    bool copied_ = false;                      ///< before what is copied is computed of it: find_pairs() asks
    std::map<int, int> widened_;               ///< of loads of bytes: what they are converted to, 8 at once
    const std::optional<scaled_bytes> pairs_;  ///< as such numbers it is computed two at once, without the function
    element_function function_;
    std::vector<staged> loads_;
    std::vector<kept_value> kept_;
    steady_chunks steady_;
    scalar whole_slice_;  ///< a condition that holds in place of those of the chunks, if given
    bool whole_ = false;  ///< 8 neighbours are either all inside or all outside
    device_ir::id tile_ = device_ir::none, fragments_ = device_ir::none;
    device_ir::id map_ = device_ir::none;
    device_ir::id computed_ = device_ir::none;  ///< in registers: of a group of steps
};

}  // namespace sinter::codegen::lower
