// What every part of lowering shares about one kernel: its class (which strides are 0, 1 or general, which layouts
// agree), the names of its values, the parameters that it has used so far, and the program that is written.
#pragma once

#include <codegen/device/builder.hpp>
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/names.hpp>

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
    const kernel& k;    ///< of the class: without extents, its strides are steps
    const schedule& s;  ///< of the class
    device_ir::builder b;

    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }
    const kernel_store& store_at(int st) const { return k.stores[static_cast<std::size_t>(st)]; }
    dtype output_type(int st) const { return k.outputs[static_cast<std::size_t>(store_at(st).output)]; }
    int equivalent_layout(int layout_position) const {
        return of.equivalent_layouts[static_cast<std::size_t>(layout_position)];
    }
    int equivalent_load(int v) const { return of.equivalent_loads[static_cast<std::size_t>(v)]; }
    /// Loads that a resident schedule keeps in registers: equivalent ones that several loops use.
    std::vector<int> resident_loads() const;

    dtype index_type() const { return s.wide_index ? dtype::int64 : dtype::int32; }       ///< of positions
    dtype division_type() const { return s.wide_index ? dtype::uint64 : dtype::uint32; }  ///< cheaper to divide
    /// The block's number as a position: it is multiplied by what may not fit 32 bits.
    scalar block_position() { return s.wide_index ? b.index_cast(dtype::int64, b.block()) : b.block(); }

    // Parameters; using one puts it into the signature.
    scalar groups();
    scalar trips(int loop);
    scalar extent(int axis);
    scalar stride(int layout_position, int axis);
    scalar quotient(const scalar& position, int axis);  ///< position / extent of the axis
    scalar parts();
    device_ir::id workspace();
    device_ir::id input(int i) const { return inputs_[static_cast<std::size_t>(i)]; }
    device_ir::id output(int o) const { return outputs_[static_cast<std::size_t>(o)]; }

    // Names and values.
    const std::string& name(int v) const { return names_[static_cast<std::size_t>(v)]; }
    std::string unique(std::string name);  ///< the name, lengthened where the kernel has it already
    /// A value where statements are written now: what define() said last; a literal for a constant.
    scalar operand(int v);
    void define(int v, const scalar& as) { values_[static_cast<std::size_t>(v)] = {as, device_ir::none}; }
    /// A value of which a thread has one for each neighbour: the operand is that of the neighbour at hand.
    void define_neighbours(int v, device_ir::id array) { values_[static_cast<std::size_t>(v)] = {{}, array}; }
    struct definition {
        scalar as;
        device_ir::id array = device_ir::none;
    };
    const definition& definition_of(int v) const { return values_[static_cast<std::size_t>(v)]; }
    void define(int v, const definition& as) { values_[static_cast<std::size_t>(v)] = as; }
    /// "const float add_2 = x0 + x1;", of operands that are defined; defines it.
    void let_value(int v, const scalar& right);
    scalar expression(int v);  ///< the right side of an elementwise value's or a cast's line
    scalar combine(int reduction, const scalar& a, const scalar& b);  ///< a fold of two values
    scalar identity(int reduction);
    scalar converted(int st, const scalar& value);  ///< in the dtype that is stored

    // Where elements lie. An axis has an index once decompose() has named it.
    void decompose(const std::vector<int>& axes, const scalar& position, const std::vector<int>& layouts);
    void set_index(int axis, const scalar& index) { index_[static_cast<std::size_t>(axis)] = index; }
    const scalar& index(int axis) const { return index_[static_cast<std::size_t>(axis)]; }
    std::vector<device_ir::term> terms(int layout_position, const std::vector<int>& axes);
    scalar sum_of(const std::vector<device_ir::term>& terms);  ///< as an index: 0 where there are none

    bool in_group = true;  ///< false after the last group, where values are found once

    // Columns with `vector` neighbours per thread: values of the group are arrays, used inside "for e".
    bool has_neighbours() const { return in_group && s.form == schedule_form::columns && s.vector > 1; }
    void open_neighbours();
    void close_neighbours();

    // Loops over a thread's accesses and an access's neighbours, while they are open.
    void open_unroll();
    void close_unroll();
    scalar access;     ///< "u"
    scalar neighbour;  ///< "e"

    /// Loads that forget the cache lines they read: see schedule::streamed.
    device_ir::cache_hint hint_of(int load) const;

    device_ir::program finish();

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
