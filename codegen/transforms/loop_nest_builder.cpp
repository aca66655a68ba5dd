// Axes, loops, arguments and index arithmetic of a loop nest.
#include <codegen/transforms/loop_nest_builder.hpp>

#include <codegen/transforms/deduplicate.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/error.hpp>

#include <algorithm>

namespace sinter::codegen {

int loop_nest_builder::new_axis(std::int64_t extent) {
    if (k_.extents.size() == max_axes)
        throw error("the expression needs more than 32 loop axes; assign a part of it to an array");
    k_.extents.push_back(extent);
    loop_of_axis_.push_back(group_level);
    return static_cast<int>(k_.extents.size()) - 1;
}

int loop_nest_builder::new_loop(int depth, const std::vector<int>& axes) {
    k_.loops.push_back({axes, {}});
    loop_depth_.push_back(depth);
    const int loop = static_cast<int>(k_.loops.size()) - 1;
    for (int a : axes) loop_of_axis_[a] = loop;
    return loop;
}

int loop_nest_builder::loop_over(int depth, const std::vector<std::int64_t>& extents_wanted) {
    const auto found = loops_.find({depth, extents_wanted});
    if (found != loops_.end()) return found->second;
    std::vector<int> axes;
    for (std::int64_t extent : extents_wanted) axes.push_back(new_axis(extent));
    return loops_[{depth, extents_wanted}] = new_loop(depth, axes);
}

index_expression loop_nest_builder::total(const element_index& at, const extents& strides, int rank) const {
    index_expression sum;
    for (int a = 0; a < rank; ++a) sum = sum_of(sum, scaled(at[a], strides[a]));
    return delinearized_.joined(std::move(sum));
}

loop_nest_builder::position loop_nest_builder::position_of(const index_expression& c) {
    position p;
    p.start = c.start;
    codegen::layout l;
    for (const index_term& t : c.terms) {
        if (t.of == index_term::kind::axis) {
            l.stride[t.id] += t.step;
            continue;
        }
        const int factor = t.of == index_term::kind::value ? t.id : delinearized_value(t.id);
        const int summand = t.step == 1 ? factor : computed(index_scaled, factor, number(t.step));
        p.value = p.value < 0 ? summand : computed(index_plus, p.value, summand);
    }
    p.layout = find_or_insert(k_.layouts, l);
    return p;
}

int loop_nest_builder::index_value(const index_expression& c) {
    const auto known = indices_.find(c);
    if (known != indices_.end()) return known->second;
    const position p = position_of(c);
    value v;
    v.what = value_kind::index;
    v.type = dtype::int64;
    v.at = p.layout;
    v.varies = varies_by(p.layout);
    int sum = v.varies != 0 ? push(v, -1) : -1;
    if (p.value >= 0) sum = sum < 0 ? p.value : computed(index_plus, sum, p.value);
    if (sum < 0)
        sum = number(p.start);
    else if (p.start != 0)
        sum = computed(index_plus, sum, number(p.start));
    return indices_[c] = sum;
}

int loop_nest_builder::delinearized_value(int id) {
    const delinearized_index d = delinearized_[id];
    int v = index_value(d.whole);
    if (d.divide != 1) v = computed(index_quotient, v, number(d.divide));
    return d.modulo == 0 ? v : computed(index_remainder, v, number(d.modulo));
}

int loop_nest_builder::computed(const op_row& op, int x, int y) {
    const auto found = computed_.find({&op, x, y});
    if (found != computed_.end()) return found->second;
    value v;
    v.what = value_kind::elementwise;
    v.type = dtype::int64;
    v.op = &op;
    v.in = {x, y, -1};
    return computed_[{&op, x, y}] = push(v, -1);
}

int loop_nest_builder::number(std::int64_t n) {
    const auto found = numbers_.find(n);
    if (found != numbers_.end()) return found->second;
    value v;
    v.what = value_kind::scalar;
    v.type = dtype::int64;
    v.scalar = static_cast<int>(k_.scalars.size());
    k_.numbers.push_back(n);
    k_.scalars.push_back(-static_cast<int>(k_.numbers.size()));
    k_.scalar_types.push_back(dtype::int64);
    return numbers_[n] = push(v, -1);
}

std::uint32_t loop_nest_builder::varies_by(int layout_position) const {
    std::uint32_t varies = 0;
    for (std::size_t a = 0; a < k_.extents.size(); ++a)
        if (k_.layouts[layout_position].stride[a] != 0) varies |= 1u << a;
    return varies;
}

int loop_nest_builder::input_of(int leaf, dtype type, std::int64_t offset, std::int64_t elements) {
    for (std::size_t i = 0; i < k_.inputs.size(); ++i)
        if (k_.inputs[i].leaf == leaf && k_.inputs[i].offset == offset) return static_cast<int>(i);
    k_.inputs.push_back({type, leaf, offset, false, elements});
    return static_cast<int>(k_.inputs.size()) - 1;
}

int loop_nest_builder::find_equal(const value& v) const {
    for (std::size_t i = 0; i < k_.values.size(); ++i) {
        const value& other = k_.values[i];
        if (other.what == v.what && other.type == v.type && other.op == v.op && other.in == v.in &&
            other.over == v.over && other.input == v.input && other.at == v.at && other.scalar == v.scalar &&
            other.bits == v.bits && other.exclusive == v.exclusive)
            return static_cast<int>(i);
    }
    return -1;
}

int loop_nest_builder::push(value v, int node) {
    const int equal = find_equal(v);
    if (equal >= 0) return equal;
    v.node = node;
    for (int in : v.in)
        if (in >= 0) v.varies |= k_.values[in].varies;
    for (std::size_t a = 0; a < k_.extents.size(); ++a)
        if ((v.varies >> a & 1) && loop_of_axis_[a] != group_level) v.loop = loop_of_axis_[a];
    k_.values.push_back(v);
    return static_cast<int>(k_.values.size()) - 1;
}

int loop_nest_builder::push_reduction(value v) {
    const int equal = find_equal(v);
    if (equal >= 0) return equal;
    for (int a : k_.outer)
        if (k_.values[v.in[0]].varies >> a & 1) v.varies |= 1u << a;
    k_.values.push_back(v);
    const int pushed = static_cast<int>(k_.values.size()) - 1;
    k_.loops[v.over].reductions.push_back(pushed);
    return pushed;
}

int loop_nest_builder::scalar_of(int argument, dtype type) {
    const int at = find_or_insert(k_.scalars, argument);
    if (k_.scalar_types.size() < k_.scalars.size()) k_.scalar_types.push_back(type);
    return at;
}

/// Sorts loops by depth, stably. Drops loops that have neither reductions nor stores.
int loop_nest_builder::converted(int index, dtype type, int node) {
    if (type == dtype::int64) return index;
    value cast;
    cast.what = value_kind::cast;
    cast.type = type;
    cast.in[0] = index;
    return push(cast, node);
}

void loop_nest_builder::begin_as(const loop_nest& from) {
    k_.scalars = from.scalars;
    k_.numbers = from.numbers;
    k_.scalar_types = from.scalar_types;
    k_.inputs = from.inputs;
    k_.outputs = from.outputs;
    k_.output_shapes = from.output_shapes;
    k_.results = from.results;
    k_.read_later = from.read_later;
    k_.precision = from.precision;
}

void loop_nest_builder::order_loops() {
    std::vector<int> order;
    for (std::size_t l = 0; l < k_.loops.size(); ++l) {
        const bool stores = std::any_of(k_.stores.begin(), k_.stores.end(),
                                        [l](const kernel_store& s) { return s.loop == static_cast<int>(l); });
        if (stores || !k_.loops[l].reductions.empty()) order.push_back(static_cast<int>(l));
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return loop_depth_[a] < loop_depth_[b]; });
    std::vector<int> now(k_.loops.size(), -1);
    std::vector<inner_loop> sorted;
    for (std::size_t l = 0; l < order.size(); ++l) {
        now[order[l]] = static_cast<int>(l);
        sorted.push_back(k_.loops[order[l]]);
    }
    k_.loops = std::move(sorted);
    for (value& v : k_.values) {
        if (v.loop >= 0) v.loop = now[v.loop];
        if (v.over >= 0) v.over = now[v.over];
    }
    for (kernel_store& s : k_.stores)
        if (s.loop >= 0) s.loop = now[s.loop];
    if (order.size() < now.size()) renumber_axes(k_);
}

void loop_nest_builder::find_stages() {
    for (value& v : k_.values) {
        if (v.what == value_kind::reduce) v.stage = v.over + 1;
        if (v.what == value_kind::reduce || v.loop != group_level) continue;
        for (int in : v.in)
            if (in >= 0) v.stage = std::max(v.stage, k_.values[in].stage);
    }
}

/// Drops unused values, such as indices computed along an axis of extent 1.

void loop_nest_builder::finish() {
    drop_unused(k_);
    order_loops();
    find_stages();
}

}  // namespace sinter::codegen
