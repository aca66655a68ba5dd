// What every part of the renderer shares about one kernel: its class (which strides are 0, 1 or general, which layouts
// agree), the names of its values and the parameters that its text has used so far.
#pragma once

#include <codegen/cuda/writer.hpp>
#include <codegen/lower/kernel_class.hpp>
#include <codegen/lower/names.hpp>
#include <codegen/render/render.hpp>

#include <array>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace sinter::codegen {

class context {
public:
    explicit context(const kernel_class& c);

    const kernel_class& of;
    const kernel& k;    ///< of the class: without extents, its strides are steps
    const schedule& s;  ///< of the class
    writer out;         ///< the kernel's body

    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }

    int equivalent_layout(int layout_position) const {
        return of.equivalent_layouts[static_cast<std::size_t>(layout_position)];
    }
    int equivalent_load(int v) const { return of.equivalent_loads[static_cast<std::size_t>(v)]; }
    /// Loads that a resident schedule keeps in registers: equivalent ones that several loops use.
    std::vector<int> resident_loads() const;

    /// Whether the kernel takes the pointer: of a stencil's places in one window it takes the first.
    bool reads(int input) const;

    // Types; using one asks for its alias.
    std::string type(dtype d);
    std::string vector_type(dtype d) { return vector_type(d, s.vector); }
    std::string vector_type(dtype d, int count);  ///< so many neighbours: "float_x4"
    std::string index_type();                     ///< signed, for positions
    std::string division_type();                  ///< unsigned: cheaper to divide

    // Parameters; using one puts it into the signature.
    std::string groups();
    std::string trips(int loop);
    std::string extent(int axis);
    std::string stride(int layout_position, int axis);
    std::string quotient(const std::string& position, int axis);  ///< a call: position / extent of the axis
    std::string parts();
    std::string workspace();

    // Names.
    const std::string& name(int v) const { return names_[static_cast<std::size_t>(v)]; }
    std::string operand(int v) const;                        ///< a value's name, or its literal
    std::string unique(std::string name);                    ///< the name, lengthened where the kernel has it already
    std::string expression(int v, bool own_column = false);  ///< the right side of a value's line
    std::string combine(int reduction, const std::string& a, const std::string& b);  ///< a call of its function
    std::string combine(int reduction, const std::string& a, const std::string& b, dtype of_b);
    std::string identity(int reduction) const;

    // Where elements lie. An axis has an index once decompose() has named it.
    void decompose(const std::vector<int>& axes, const std::string& counter, const std::vector<int>& layouts);
    std::string offset(int layout_position, const std::vector<int>& axes);  ///< "" for none
    std::string add_offset(const std::string& pointer, int layout_position, const std::vector<int>& axes);
    /// `displacement`, if there is one, is a value that is added to the place.
    std::string subscript(const std::string& pointer, int layout_position, const std::vector<int>& axes,
                          int displacement = -1);

    const std::map<std::array<int, 3>, std::string>& parameters() const { return parameters_; }
    // Columns with `vector` neighbours a thread: values of the group are arrays, used inside "for e".
    bool has_neighbours() const { return s.form == schedule_form::columns && s.vector > 1; }
    std::string own(int v) const;  ///< a value of the group at this thread's column: "sum_2[e]", or its name
    std::string neighbours() const { return has_neighbours() ? fmt::format("[{}]", s.vector) : ""; }
    std::string vector_load(int v, const std::string& from);  ///< of `vector` neighbours at once
    void open_neighbours();
    void close_neighbours();

    const std::set<dtype>& aliases() const { return aliases_; }
    const std::set<std::pair<dtype, int>>& vectors() const { return vectors_; }
    const std::string& combiners() const { return combiners_; }
    bool divides() const { return divides_; }
    bool reads_once() const { return reads_once_; }

private:
    std::string use(parameter::kind what, int index, int axis, const std::string& name);

    std::vector<std::string> names_;
    std::array<std::string, max_axes> index_;
    std::map<std::array<int, 3>, std::string> parameters_;
    std::map<std::tuple<const op_row*, dtype, dtype>, std::string> combine_names_;
    std::string combiners_;
    bool divides_ = false;
    bool reads_once_ = false;
    std::set<std::string> taken_;
    std::set<dtype> aliases_;
    std::set<std::pair<dtype, int>> vectors_;
};

}  // namespace sinter::codegen
