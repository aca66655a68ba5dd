// State shared by all lowering code of one kernel: its class (which strides are 0, 1 or general, which layouts are
// equivalent), the names of its values, the parameters used so far, and the program under construction.
#pragma once

#include <codegen/device/builder.hpp>
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/names.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/realigned.hpp>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sinter::codegen::lower {

using device_ir::scalar;

inline constexpr int warp = 32;  ///< lanes

class lowering {
public:
    explicit lowering(const kernel_class& c);

    const kernel_class& of;
    const loop_nest& k;  ///< of the class: no extents, and strides are steps
    const schedule& s;   ///< of the class
    device_ir::builder b;

    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }
    const kernel_store& store_at(int st) const { return k.stores[static_cast<std::size_t>(st)]; }
    dtype output_type(int st) const { return k.outputs[static_cast<std::size_t>(store_at(st).output)]; }
    int equivalent_layout(int layout_position) const {
        return of.equivalent_layouts[static_cast<std::size_t>(layout_position)];
    }
    bool is_wide_gather(int v) const { return codegen::is_wide_gather(k, s, v); }
    bool is_realigned(int v) const { return codegen::is_realigned(k, s, v); }
    /// The axis along which an access moves neighbours of a load, in its loop or in a kernel without loops; -1: none.
    int neighbour_axis(int v) const { return codegen::neighbour_axis(k, s, at(v).loop); }
    /// Whether neighbours of a layout can be moved by one access: in peeled rows, of what moves along with them.
    bool is_in_phase(int layout_position) const;
    int equivalent(int v) const { return of.equivalents[static_cast<std::size_t>(v)]; }
    /// Loads that a schedule caches in registers: the first of each set of two or more equivalent loads.
    std::vector<int> resident_loads() const;

    dtype index_type() const { return s.wide_index ? dtype::int64 : dtype::int32; }       ///< of positions
    dtype division_type() const { return s.wide_index ? dtype::uint64 : dtype::uint32; }  ///< unsigned: cheap to divide
    /// The block's number in index_type(), since products with it may exceed 32 bits.
    scalar block_position() { return s.wide_index ? b.index_cast(dtype::int64, b.block()) : b.block(); }

    // Kernel parameters. Using one adds it to the signature.
    scalar groups();
    scalar trips(int loop);
    scalar extent(int axis);
    scalar stride(int layout_position, int axis);
    scalar quotient(const scalar& position, int axis);  ///< position / extent of the axis
    scalar parts();
    scalar elements(int input);  ///< from its address to the end of the array
    device_ir::id workspace();
    scalar position();        ///< of the element that an element function is called for
    scalar given(int input);  ///< the element of that input, which the caller provides
    device_ir::id input(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
    device_ir::id output(int o) const { return outputs_[static_cast<std::size_t>(o)]; }

    // Names and values.
    const std::string& name(int v) const { return names_[static_cast<std::size_t>(v)]; }
    std::string unique(std::string name);  ///< the name, with a suffix if the kernel has it already
    /// A value at the current statement: its latest definition; a literal for a constant.
    scalar operand(int v);
    void define(int v, const scalar& as) { values_[static_cast<std::size_t>(v)] = {as, device_ir::none}; }
    /// Defines a value that a thread has once per neighbour; operand() selects the current neighbour's.
    void define_neighbours(int v, device_ir::id array) { values_[static_cast<std::size_t>(v)] = {{}, array}; }
    struct definition {
        scalar as;
        device_ir::id array = device_ir::none;
    };
    const definition& definition_of(int v) const { return values_[static_cast<std::size_t>(v)]; }
    void define(int v, const definition& as) { values_[static_cast<std::size_t>(v)] = as; }
    /// "const float add_2 = x0 + x1;": emits it and defines the value. Its operands must be defined.
    void let_value(int v, const scalar& right);
    scalar expression(int v);  ///< right-hand side of an elementwise value or a cast
    scalar combine(int reduction, const scalar& a, const scalar& b);  ///< the reduction's op, applied to two values
    scalar identity(int reduction);
    scalar converted(int st, const scalar& value);  ///< converted to the dtype that is stored

    // Indices of elements. decompose() delinearizes a position into the indices of `axes` that the layouts use.
    void decompose(const std::vector<int>& axes, const scalar& position, const std::vector<int>& layouts);
    void set_index(int axis, const scalar& index) { index_[static_cast<std::size_t>(axis)] = index; }
    const scalar& index(int axis) const { return index_[static_cast<std::size_t>(axis)]; }
    std::vector<device_ir::term> terms(int layout_position, const std::vector<int>& axes);
    scalar sum_of(const std::vector<device_ir::term>& terms);  ///< as an index; 0 for no terms

    bool in_group = true;  ///< false after the last group, where values exist once

    // Columns with `vector_width` neighbours per thread: values of the group are arrays, indexed inside "for e".
    bool has_neighbours() const { return in_group && s.form == schedule_form::columns && s.vector_width > 1; }
    void open_neighbours();
    void close_neighbours();

    // The current loops over a thread's accesses and an access's neighbours.
    int unroll;  ///< accesses whose loads are in registers together: the schedule's, or a part of them
    void open_unroll();
    void close_unroll();
    scalar access;     ///< "u"
    scalar neighbour;  ///< "e"

    /// evict_first for 16-byte accesses to elements that are read once, if schedule::evict_first.
    device_ir::cache_hint hint_of(int load) const;

    device_ir::program finish();
    /// Likewise of an element function: without the arrays that its caller stands for, unless results are stored.
    device_ir::program finish_element(int given);

private:
    scalar use(parameter::kind what, int index, int axis, const std::string& name);
    bool reads(int input) const;

    struct used_parameter {
        device_ir::id of = device_ir::none;
        scalar value;
    };
    std::vector<std::string> names_;
    std::vector<definition> values_;
    std::vector<device_ir::id> inputs_, outputs_;
    std::array<scalar, max_axes> index_;
    std::map<std::array<int, 3>, used_parameter> parameters_;
    std::map<std::tuple<const op_row*, dtype, dtype>, device_ir::id> folds_;
    std::vector<device_ir::kernel_parameter> scalars_;
    device_ir::id workspace_ = device_ir::none;
    std::set<std::string> taken_;
};

}  // namespace sinter::codegen::lower
