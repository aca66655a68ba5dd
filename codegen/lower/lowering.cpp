// Names, parameters, values and index expressions.
#include <codegen/lower/lowering.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::codegen::lower {

using namespace device_ir;

std::vector<int> lowering::resident_loads() const {
    std::vector<int> kept;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        if (!is_element_load(k, v)) continue;
        const int first = equivalent(v);
        if (first != v && std::find(kept.begin(), kept.end(), first) == kept.end()) kept.push_back(first);
    }
    std::sort(kept.begin(), kept.end());
    return kept;
}

// Through a pointer to memory that the kernel does not write, NVRTC loads a signed byte or int16 without extending its
// sign, which takes another instruction: 40 instead of 37 per element in sums of three int8 of a rolled image. A loop
// that stores nothing loses nothing if memory may be written.
static bool extends_signs(const loop_nest& k, const schedule& s, dtype type) {
    const auto in_loop = [](const kernel_store& st) { return st.loop >= 0; };
    return (type == dtype::int8 || type == dtype::int16) && s.vector_width == 1 && !k.loops.empty() &&
           std::none_of(k.stores.begin(), k.stores.end(), in_loop);
}

lowering::lowering(const kernel_class& c)
    : of(c), k(c.body), s(c.how), unroll(c.how.unroll), values_(c.body.values.size()) {
    const bool in_place =
        std::any_of(k.inputs.begin(), k.inputs.end(), [](const kernel_input& i) { return i.may_alias_output; });
    for (int o = 0; o < static_cast<int>(k.outputs.size()); ++o) {
        array a{output_name(o), space::global, k.outputs[static_cast<std::size_t>(o)], {}};
        a.may_alias = in_place;
        outputs_.push_back(b.add(a));
        taken_.insert(a.name);
    }
    for (int i = 0; i < static_cast<int>(k.inputs.size()); ++i) {
        const kernel_input& from = k.inputs[static_cast<std::size_t>(i)];
        array a{input_name(i), space::global, from.type, {}};
        a.read_only = true;
        a.may_alias = from.may_alias_output || extends_signs(k, s, from.type);
        inputs_.push_back(b.add(a));
        taken_.insert(a.name);
    }
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = at(v);
        names_.push_back(self.what == value_kind::load ? load_name(k, v) : value_name(k, v));
        taken_.insert(names_.back());
        if (self.what == value_kind::constant) define(v, b.literal(self.type, self.bits));
    }
    std::vector<scalar> arguments;
    for (std::size_t a = 0; a < k.scalars.size(); ++a) {
        arguments.push_back(b.parameter(fmt::format("s{}", a), k.scalar_types[a], false));
        scalars_.push_back({{parameter::kind::scalar, static_cast<int>(a), 0}, b[arguments[a]].of});
    }
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v)
        if (at(v).what == value_kind::scalar) define(v, arguments[static_cast<std::size_t>(at(v).scalar)]);
    b.made.precision = k.precision;
    b.made.wide_index = s.wide_index;
    b.made.block_threads = s.block_threads;
    b.made.blocks_per_multiprocessor = s.blocks_per_multiprocessor;
    b.made.cluster = s.cluster;
}

bool lowering::is_in_phase(int layout_position) const {
    return !s.peeled || std::all_of(k.outer.begin(), k.outer.end(),
                                    [&](int axis) { return step_of(k, layout_position, axis) != step::none; });
}

// ---- parameters ----

scalar lowering::use(parameter::kind what, int index, int axis, const std::string& name) {
    used_parameter& used = parameters_[{static_cast<int>(what), index, axis}];
    if (used.of != none) return used.value;
    const bool unsigned_too = what == parameter::kind::extent || what == parameter::kind::multiplier;
    const dtype type = what == parameter::kind::shift      ? dtype::int32
                       : what == parameter::kind::elements ? dtype::int64
                       : unsigned_too                      ? division_type()
                                                           : index_type();
    used.value = b.parameter(unique(name), type, true);
    used.of = b[used.value].of;
    return used.value;
}

scalar lowering::groups() {
    const char* name = s.form == schedule_form::rows ? "rows" : s.form == schedule_form::columns ? "columns" : "n";
    return use(parameter::kind::groups, 0, 0, name);
}

scalar lowering::trips(int loop) {
    return use(parameter::kind::trips, loop, 0,
               k.loops.size() == 1 || s.register_cached ? "n" : fmt::format("n_{}", loop));
}

scalar lowering::extent(int axis) { return use(parameter::kind::extent, axis, 0, fmt::format("extent_{}", axis)); }

scalar lowering::stride(int layout_position, int axis) {
    // layouts with equal strides along the outer axes share these parameters
    const bool outer = std::find(k.outer.begin(), k.outer.end(), axis) != k.outer.end();
    const int owner = outer ? equivalent_layout(layout_position) : layout_position;
    std::string user = fmt::format("layout{}", owner);
    for (const kernel_store& store : k.stores)
        if (store.at == owner) user = output_name(store.output);
    for (const value& v : k.values)
        if (v.what == value_kind::load && v.at == owner) {
            user = input_name(v.input);
            break;
        } else if (v.what == value_kind::index && v.at == owner) {
            user = "index";
        }
    return use(parameter::kind::stride, owner, axis, fmt::format("{}_stride_{}", user, axis));
}

scalar lowering::quotient(const scalar& position, int axis) {
    const scalar multiplier = use(parameter::kind::multiplier, axis, 0, fmt::format("multiplier_{}", axis));
    return b.quotient(position, multiplier, use(parameter::kind::shift, axis, 0, fmt::format("shift_{}", axis)));
}

scalar lowering::parts() { return use(parameter::kind::parts, 0, 0, "parts"); }

scalar lowering::elements(int input) {
    return use(parameter::kind::elements, input, 0, input_name(input) + "_elements");
}

scalar lowering::position() { return use(parameter::kind::position, 0, 0, "i"); }

scalar lowering::given(int input) {
    used_parameter& used = parameters_[{static_cast<int>(parameter::kind::given), input, 0}];
    if (used.of != none) return used.value;
    used.value = b.parameter(unique("given"), k.inputs[static_cast<std::size_t>(input)].type, false);
    used.of = b[used.value].of;
    return used.value;
}

id lowering::workspace() {
    if (workspace_ == none) workspace_ = b.add(array{unique("workspace"), space::global, dtype::uint8, {}});
    return workspace_;
}

// ---- names and values ----

std::string lowering::unique(std::string name) {
    std::string candidate = name;
    for (char letter = 'b'; !taken_.insert(candidate).second; ++letter) candidate = name + '_' + letter;
    return candidate;
}

scalar lowering::operand(int v) {
    const definition& d = definition_of(v);
    return d.array != none ? b.element(d.array, {neighbour}) : d.as;
}

void lowering::let_value(int v, const scalar& right) { define(v, b.let(name(v), at(v).type, right)); }

scalar lowering::expression(int v) {
    const value& self = at(v);
    if (self.what == value_kind::cast) return b.cast(self.type, operand(self.in[0]));
    std::array<scalar, 3> operands;
    for (std::size_t i = 0; i < 3 && self.in[i] >= 0; ++i) operands[i] = operand(self.in[i]);
    const dtype computing = self.op->rule == dtype_rule::chosen   ? self.type
                            : self.op->rule == dtype_rule::select ? at(self.in[1]).type
                                                                  : at(self.in[0]).type;
    return b.operation(*self.op, self.type, computing, operands);
}

scalar lowering::combine(int reduction, const scalar& x, const scalar& y) {
    const value& self = at(reduction);
    const dtype of_y = b[y].type;
    const auto [found, is_new] = folds_.insert({{self.op, self.type, of_y}, none});
    if (is_new) {
        function f;
        f.folds = true;
        f.name = unique(fmt::format("{}_of{}", self.op->name, of_y == self.type ? "" : "_element"));
        const scalar a = b.parameter("x", self.type, false), c = b.parameter("y", of_y, false);
        for (const scalar& one : {a, c}) f.parameters.push_back({function_parameter::passed::value, b[one].of});
        f.has_value = true;
        f.type = self.type;
        f.value = b.operation(*self.op, self.type, self.type, {a, c, {}}).at;
        found->second = b.add(std::move(f));
    }
    return b.call(found->second, {x, y});
}

scalar lowering::identity(int reduction) { return b.identity(*at(reduction).op, at(reduction).type); }

scalar lowering::converted(int st, const scalar& value) {
    return at(store_at(st).value).type == output_type(st) ? value : b.cast(output_type(st), value);
}

cache_hint lowering::hint_of(int v) const {
    bool once = s.evict_first && size_of(at(v).type) * static_cast<std::size_t>(s.vector_width) == 16;
    for (int axis = 0; axis < static_cast<int>(k.extents.size()); ++axis)
        once = once && step_of(k, at(v).at, axis) != step::none;
    return once ? cache_hint::evict_first : cache_hint::usual;
}

// ---- positions ----

void lowering::decompose(const std::vector<int>& axes, const scalar& position, const std::vector<int>& layouts) {
    if (axes.empty()) return;
    if (axes.size() == 1) return set_index(axes[0], position);
    const auto used = [&](int axis) {
        return std::any_of(layouts.begin(), layouts.end(), [&](int l) { return step_of(k, l, axis) != step::none; });
    };
    scalar left = position;  // quotient by the extents of the faster axes
    for (std::size_t p = axes.size() - 1; p > 0; --p) {
        const int axis = axes[p];
        const bool slower = std::any_of(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(p), used);
        if (!slower && !used(axis)) return;
        scalar before = quotient(left, axis);
        if (slower) {
            const std::string named = p == 1 ? fmt::format("i{}", axes[0]) : fmt::format("left_{}", axis);
            before = b.let_index(named, index_type(), before);
            if (p == 1) set_index(axes[0], before);
        }
        if (used(axis))
            set_index(axis, b.let_index(fmt::format("i{}", axis), index_type(), left - before * extent(axis)));
        if (!slower) return;
        left = before;
    }
}

std::vector<term> lowering::terms(int layout_position, const std::vector<int>& axes) {
    std::vector<term> all;
    for (int axis : axes) {
        const step along = step_of(k, layout_position, axis);
        if (along == step::none) continue;
        all.push_back({axis, index(axis).at, along == step::unit ? none : stride(layout_position, axis).at});
    }
    return all;
}

scalar lowering::sum_of(const std::vector<term>& all) {
    scalar sum;
    for (const term& t : all) {
        const scalar index{&b, t.index};
        const scalar one = t.stride == none ? index : index * scalar{&b, t.stride};
        sum = sum ? sum + one : one;
    }
    return sum ? sum : b.integer(0);
}

// ---- loops within a thread ----

void lowering::open_neighbours() {
    if (has_neighbours()) neighbour = b.open_unrolled("e", s.vector_width);
}

void lowering::close_neighbours() {
    if (has_neighbours()) b.close();
}

void lowering::open_unroll() {
    if (unroll > 1) access = b.open_unrolled("u", unroll);
}

void lowering::close_unroll() {
    if (unroll > 1) b.close();
}

program lowering::finish() {
    std::vector<kernel_parameter>& all = b.made.parameters;
    for (int o = 0; o < static_cast<int>(outputs_.size()); ++o)
        all.push_back({{parameter::kind::output, o, 0}, output(o)});
    for (int i = 0; i < static_cast<int>(inputs_.size()); ++i)
        if (reads(i)) all.push_back({{parameter::kind::input, i, 0}, input(i)});
    all.insert(all.end(), scalars_.begin(), scalars_.end());
    for (const auto& [key, used] : parameters_)
        all.push_back({{static_cast<parameter::kind>(key[0]), key[1], key[2]}, used.of});
    if (workspace_ != none) all.push_back({{parameter::kind::workspace, 0, 0}, workspace_});
    return std::move(b.made);
}

program lowering::finish_element(int given) {
    program made = finish();
    std::erase_if(made.parameters, [given](const kernel_parameter& p) {
        return given < 0 ? p.what.what == parameter::kind::output
                         : p.what.what == parameter::kind::input && p.what.index == given;
    });
    return made;
}

// The inputs of one stencil window are all read through the pointer of the window's own input.
bool lowering::reads(int input) const {
    const std::vector<stencil_window>& windows = s.stencil.windows;
    return s.form != schedule_form::stencil ||
           std::any_of(windows.begin(), windows.end(), [&](const stencil_window& w) { return w.input == input; });
}

}  // namespace sinter::codegen::lower
