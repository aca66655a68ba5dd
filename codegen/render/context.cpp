// Names, types, parameters and offsets.
#include <codegen/render/context.hpp>

#include <codegen/cuda/literal.hpp>
#include <codegen/rows/identity.hpp>

#include <algorithm>

namespace sinter::codegen {

std::vector<int> context::resident_loads() const {
    std::vector<int> kept;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        if (!is_element_load(k, v)) continue;
        const int equivalent = equivalent_load(v);
        if (equivalent != v && std::find(kept.begin(), kept.end(), equivalent) == kept.end())
            kept.push_back(equivalent);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

context::context(const kernel_class& c) : of(c), k(c.body), s(c.how) {
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = at(v);
        switch (self.what) {
            case value_kind::load: names_.push_back(load_name(k, v)); break;
            case value_kind::constant:
                names_.push_back(literal(self.type, self.bits));
                if (is_complex(self.type)) type(self.type);  // which the literal names
                break;
            default: names_.push_back(value_name(k, v)); break;
        }
        taken_.insert(names_.back());
    }
    for (int i = 0; i < static_cast<int>(k.inputs.size()); ++i) taken_.insert(input_name(i));
    for (int o = 0; o < static_cast<int>(k.outputs.size()); ++o) taken_.insert(output_name(o));
}

bool context::reads(int input) const {
    const std::vector<stencil_window>& windows = s.stencil.windows;
    return s.form != schedule_form::stencil ||
           std::any_of(windows.begin(), windows.end(), [&](const stencil_window& w) { return w.input == input; });
}

std::string context::type(dtype d) {
    if (*type_alias(d) != '\0') aliases_.insert(d);
    return type_name(d);
}

std::string context::vector_type(dtype d, int count) {
    vectors_.insert({d, count});
    return fmt::format("{}_x{}", type(d), count);
}

std::string context::index_type() { return s.wide_index ? type(dtype::int64) : "int"; }
std::string context::division_type() { return s.wide_index ? type(dtype::uint64) : "unsigned"; }

std::string context::use(parameter::kind what, int index, int axis, const std::string& name) {
    const auto found = parameters_.find({static_cast<int>(what), index, axis});
    if (found != parameters_.end()) return found->second;
    return parameters_[{static_cast<int>(what), index, axis}] = unique(name);
}

std::string context::groups() {
    const char* name = s.form == schedule_form::rows ? "rows" : s.form == schedule_form::columns ? "columns" : "n";
    return use(parameter::kind::groups, 0, 0, name);
}

std::string context::trips(int loop) {
    return use(parameter::kind::trips, loop, 0, k.loops.size() == 1 || s.resident ? "n" : "n_" + std::to_string(loop));
}

std::string context::extent(int axis) {
    return use(parameter::kind::extent, axis, 0, "extent_" + std::to_string(axis));
}

std::string context::stride(int layout_position, int axis) {
    // layouts that agree along the outer axes share those parameters
    const bool outer = std::find(k.outer.begin(), k.outer.end(), axis) != k.outer.end();
    const int owner = outer ? equivalent_layout(layout_position) : layout_position;
    std::string user = "layout" + std::to_string(owner);
    for (const kernel_store& store : k.stores)
        if (store.at == owner) user = output_name(store.output);
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.at == owner) {
            user = input_name(v.input);
            break;
        } else if (v.what == value_kind::index && v.at == owner) {
            user = "index";
        }
    return use(parameter::kind::stride, owner, axis, user + "_stride_" + std::to_string(axis));
}

std::string context::quotient(const std::string& position, int axis) {
    divides_ = true;
    const std::string number = std::to_string(axis);
    return fmt::format("quotient({}, {}, {})", position,
                       use(parameter::kind::multiplier, axis, 0, "multiplier_" + number),
                       use(parameter::kind::shift, axis, 0, "shift_" + number));
}

std::string context::parts() { return use(parameter::kind::parts, 0, 0, "parts"); }

std::string context::workspace() { return use(parameter::kind::workspace, 0, 0, "workspace"); }

std::string context::operand(int v) const { return name(v); }

std::string context::own(int v) const {
    const value& self = at(v);
    const bool of_group =
        self.loop == group_level && self.what != value_kind::scalar && self.what != value_kind::constant;
    return has_neighbours() && of_group ? name(v) + "[e]" : operand(v);
}

std::string context::vector_load(int v, const std::string& from) {
    const value& self = at(v);
    const std::string address = fmt::format("reinterpret_cast<const {}*>({})", vector_type(self.type), from);
    bool once = s.streamed && size_of(self.type) * static_cast<std::size_t>(s.vector) == 16;
    for (int axis = 0; axis < static_cast<int>(k.extents.size()); ++axis)
        once = once && step_of(k, self.at, axis) != step::none;
    if (!once) return "*" + address;
    reads_once_ = true;
    return fmt::format("read_once({})", address);
}

void context::open_neighbours() {
    if (!has_neighbours()) return;
    out.line("#pragma unroll");
    out.open("for (int e = 0; e < {}; ++e)", s.vector);
}

void context::close_neighbours() {
    if (has_neighbours()) out.close();
}

std::string context::unique(std::string name) {
    std::string candidate = name;
    for (char letter = 'b'; !taken_.insert(candidate).second; ++letter) candidate = name + '_' + letter;
    return candidate;
}

std::string context::expression(int v, bool own_column) {
    const value& self = at(v);
    std::string names[3];
    for (std::size_t i = 0; i < 3 && self.in[i] >= 0; ++i)
        names[i] = own_column ? own(self.in[i]) : operand(self.in[i]);
    if (self.what == value_kind::cast) {
        const dtype from = at(self.in[0]).type;
        const bool truncates = is_integer(self.type) && (is_floating(from) || is_complex(from));
        if (truncates) {
            const std::string real = is_half(from) ? fmt::format("float({})", names[0]) : names[0];
            return fmt::format("whole_number<{}>({}{})", type(self.type), real, is_complex(from) ? ".re" : "");
        }
        return fmt::format("({}){}", type(self.type), names[0]);
    }
    const dtype computing = self.op->rule == dtype_rule::chosen   ? self.type
                            : self.op->rule == dtype_rule::select ? at(self.in[1]).type
                                                                  : at(self.in[0]).type;
    return substitute(self.op->body, {names[0], names[1], names[2]}, type(computing),
                      computing == dtype::float32 ? k.precision : arithmetic::exact);
}

std::string context::combine(int reduction, const std::string& a, const std::string& b) {
    return combine(reduction, a, b, at(reduction).type);
}

std::string context::combine(int reduction, const std::string& a, const std::string& b, dtype of_b) {
    const value& self = at(reduction);
    std::string& function = combine_names_[{self.op, self.type, of_b}];
    if (function.empty()) {
        function = unique(fmt::format("{}_of{}", self.op->name, of_b == self.type ? "" : "_element"));
        const std::string t = type(self.type);
        combiners_ +=
            fmt::format("static __device__ __forceinline__ {0} {1}(const {0} x, const {3} y) {{\n    return {2};\n}}\n",
                        t, function, substitute(self.op->body, {"x", "y", "z"}, t), type(of_b));
    }
    return fmt::format("{}({}, {})", function, a, b);
}

std::string context::identity(int reduction) const {
    if (const char* given = at(reduction).op->identity; given != nullptr)
        return substitute(given, {"x", "y", "z"}, type_name(at(reduction).type));
    if (is_moments(at(reduction).type)) return fmt::format("{}()", type_name(at(reduction).type));  // zeros
    const ir::scalar_bits value = identity_of(*at(reduction).op, at(reduction).type);
    const std::string text = literal(at(reduction).type, value.bits, value.more);
    return text[0] == '(' ? text.substr(1, text.size() - 2) : text;  // it stands alone
}

void context::decompose(const std::vector<int>& axes, const std::string& counter, const std::vector<int>& layouts) {
    if (axes.size() == 1) {
        index_[static_cast<std::size_t>(axes[0])] = counter;
        return;
    }
    const auto used = [&](int axis) {
        return std::any_of(layouts.begin(), layouts.end(), [&](int at) { return step_of(k, at, axis) != step::none; });
    };
    std::string left = counter;  // what remains of the position when the faster axes are taken away
    for (std::size_t p = axes.size(); p-- > 0;) {
        const int axis = axes[p];
        const std::string named = "i" + std::to_string(axis);
        index_[static_cast<std::size_t>(axis)] = named;
        if (p == 0) break;
        const bool slower = std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(p), used);
        if (!slower && !used(axis)) break;
        std::string before = quotient(left, axis);
        if (slower) {
            const std::string computed = before;
            before = p == 1 ? "i" + std::to_string(axes[0]) : "left_" + std::to_string(axis);
            out.line("const {} {} = {};", index_type(), before, computed);
        }
        if (used(axis)) out.line("const {} {} = {} - {} * {};", index_type(), named, left, before, extent(axis));
        if (!slower) break;
        left = before;
    }
}

std::string context::offset(int layout_position, const std::vector<int>& axes) {
    std::string sum;
    for (int axis : axes) {
        const step along = step_of(k, layout_position, axis);
        if (along == step::none) continue;
        const std::string& index = index_[static_cast<std::size_t>(axis)];
        if (!sum.empty()) sum += " + ";
        sum += along == step::unit ? index : index + " * " + stride(layout_position, axis);
    }
    return sum;
}

std::string context::add_offset(const std::string& pointer, int layout_position, const std::vector<int>& axes) {
    const std::string distance = offset(layout_position, axes);
    return distance.empty() ? pointer : pointer + " + " + distance;
}

std::string context::subscript(const std::string& pointer, int layout_position, const std::vector<int>& axes,
                               int displacement) {
    std::string distance = offset(layout_position, axes);
    if (displacement >= 0) distance += (distance.empty() ? "" : " + ") + operand(displacement);
    return fmt::format("{}[{}]", pointer, distance.empty() ? "0" : distance);
}

}  // namespace sinter::codegen
