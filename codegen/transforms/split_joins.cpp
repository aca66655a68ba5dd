// Splits an outer axis of an elementwise kernel along which parts of equal length are joined, as in
// concat(x * c - y * s, x * s + y * c, axis=1), into an axis of parts and one within a part. A thread that computes all
// parts (schedule/channels.hpp) loads what several of them read once. Within a part, an operand's index is that along
// the second axis: loads of parts are plain loads. Which part an element is in depends on the first axis alone, whose
// indices a thread knows when it is compiled. Elsewhere a part's elements are not used, so that any may be read.
//
// The parts of a stack have length 1: its axis is that of the parts. If a reshape makes one axis of it and of the one
// before, as in reshape(stack(x & 15, x >> 4, axis=1), {n}), an index's remainder says which part an element is in.
#include <codegen/ir/value_at.hpp>
#include <codegen/transforms/index_rows.hpp>
#include <codegen/transforms/loop_nest_builder.hpp>
#include <codegen/transforms/pass.hpp>
#include <sinter/gather.hpp>
#include <sinter/op/functions.hpp>

#include <algorithm>
#include <limits>

namespace sinter::codegen {
namespace {

constexpr std::int64_t max_parts = 8;

/// The axis of a joined result, and its parts.
struct joined_axis {
    int axis = -1;
    std::int64_t length = 0;   ///< of each part
    bool interleaved = false;  ///< elements of `length` parts take turns
};

bool differ(const joined_axis& so_far, const joined_axis& own) {
    return so_far.axis >= 0 && (own.axis != so_far.axis || own.length != so_far.length);
}

bool is_index_of_part(const value& v) { return v.op == &detail::index_of_part_row::row; }

/// Whether a cast to this dtype keeps all indices below n.
bool keeps(dtype type, std::int64_t n) {
    return type == dtype::int64 || (type == dtype::int32 && n <= std::numeric_limits<std::int32_t>::max());
}

/// The number that the shapes determine; -1 for others.
std::int64_t number_of(const loop_nest& k, int of) {
    const value& v = value_at(k, of);
    if (v.what == value_kind::cast) {
        const std::int64_t n = number_of(k, v.in[0]);
        return keeps(v.type, n) ? n : -1;
    }
    const int from = v.what == value_kind::scalar ? k.scalars[static_cast<std::size_t>(v.scalar)] : 0;
    return from < 0 ? k.numbers[static_cast<std::size_t>(-1 - from)] : -1;
}

/// The axis whose index a value is; -1 for others.
int axis_of_index(const loop_nest& k, int of) {
    const value& v = value_at(k, of);
    if (v.what == value_kind::cast) {
        const int axis = axis_of_index(k, v.in[0]);
        return axis >= 0 && keeps(v.type, k.extents[static_cast<std::size_t>(axis)]) ? axis : -1;
    }
    if (v.what != value_kind::index) return -1;
    int found = -1;
    for (int axis : k.outer) {
        const std::int64_t stride = stride_of(k, v.at, axis);
        if (stride == 0) continue;
        if (stride != 1 || found >= 0) return -1;
        found = axis;
    }
    return found;
}

/// Whether a value says if an element is in a part before the one that begins at `end`.
bool compares_index(const loop_nest& k, const value& v, int axis, std::int64_t& end) {
    if (v.op != &op::less::row || axis_of_index(k, v.in[0]) != axis) return false;
    end = number_of(k, v.in[1]);
    return end >= 0;
}

/// The axis of a stack.
std::optional<joined_axis> find_stacked(const loop_nest& k) {
    std::int64_t end = 0;
    for (const value& v : k.values)
        for (int axis : k.outer)
            if (compares_index(k, v, axis, end) && k.extents[static_cast<std::size_t>(axis)] <= max_parts)
                return joined_axis{axis, 1};
    return std::nullopt;
}

/// The axis of parts that take turns.
std::optional<joined_axis> find_interleaved(const loop_nest& k) {
    joined_axis joined;
    for (const value& v : k.values) {
        if (v.op != &index_quotient && v.op != &index_remainder) continue;
        const joined_axis own{axis_of_index(k, v.in[0]), number_of(k, v.in[1]), true};
        if (own.axis < 0 || own.length < 2 || own.length > max_parts) return std::nullopt;
        if (differ(joined, own)) return std::nullopt;
        joined = own;
    }
    if (joined.axis < 0 || k.extents[static_cast<std::size_t>(joined.axis)] % joined.length != 0) return std::nullopt;
    return joined;
}

/// The only axis along which parts are joined, if all of them are of one length.
std::optional<joined_axis> find_joined(const loop_nest& k) {
    joined_axis joined;
    for (const value& v : k.values) {
        if (!is_index_of_part(v)) continue;
        const joined_axis own{axis_of_index(k, v.in[0]), number_of(k, v.in[2])};
        if (own.axis < 0 || own.length < 2 || number_of(k, v.in[1]) % own.length != 0) return std::nullopt;
        if (differ(joined, own)) return std::nullopt;
        joined = own;
    }
    if (joined.axis < 0) {
        const std::optional<joined_axis> stacked = find_stacked(k);
        return stacked ? stacked : find_interleaved(k);
    }
    const std::int64_t extent = k.extents[static_cast<std::size_t>(joined.axis)];
    if (extent % joined.length != 0 || extent / joined.length > max_parts) return std::nullopt;
    return joined;
}

class join_splitter : loop_nest_builder {
public:
    join_splitter(const loop_nest& from, const joined_axis& joined) : from_(from), joined_(joined) {}

    /// Nothing where an element is gathered at an index that depends on more than the parts.
    std::optional<loop_nest> run() {
        begin_as(from_);
        along_.resize(from_.extents.size());
        for (int axis : from_.outer) split(axis);
        for (const value& v : from_.values) {
            within_.emplace_back();
            now_.push_back(rewritten(v));
            if (now_.back() < 0) return std::nullopt;
        }
        for (kernel_store s : from_.stores) {
            s.value = now_[static_cast<std::size_t>(s.value)];
            s.at = position_of(index_of(s.at)).layout;
            k_.stores.push_back(s);
        }
        finish();
        return std::move(k_);
    }

private:
    void split(int axis) {
        const std::int64_t extent = from_.extents[static_cast<std::size_t>(axis)];
        index_expression& along = along_[static_cast<std::size_t>(axis)];
        if (axis != joined_.axis || joined_.length == 1) {
            k_.outer.push_back(new_axis(extent));
            along = along_axis(k_.outer.back());
            if (axis == joined_.axis) part_ = along;
            return;
        }
        const int slow = new_axis(extent / joined_.length), fast = new_axis(joined_.length);
        k_.outer.insert(k_.outer.end(), {slow, fast});
        part_ = along_axis(joined_.interleaved ? fast : slow);
        place_ = along_axis(joined_.interleaved ? slow : fast);
        along = sum_of(scaled(along_axis(slow), joined_.length), along_axis(fast));
    }

    index_expression index_of(int layout_position) const {
        index_expression sum;
        for (int axis : from_.outer)
            sum = sum_of(sum, scaled(along_[static_cast<std::size_t>(axis)], stride_of(from_, layout_position, axis)));
        return sum;
    }

    /// The value's index expression, if it is that of an operand within its part.
    const std::optional<index_expression>& within(int v) const { return within_[static_cast<std::size_t>(v)]; }

    int rewritten(value v) {
        const std::array<int, ir::max_operands> was = v.in;
        for (int& in : v.in)
            if (in >= 0) in = now_[static_cast<std::size_t>(in)];
        v.varies = 0;
        if (is_index_of_part(v) || (joined_.interleaved && v.op == &index_quotient))
            return of_part(place_, v.type, v.node);
        if (joined_.interleaved && v.op == &index_remainder) return of_part(part_, v.type, v.node);
        if (v.what == value_kind::cast && (v.type == dtype::int32 || v.type == dtype::int64) && within(was[0]))
            return of_part(*within(was[0]), v.type, v.node);
        if (v.op == &index_plus && within(was[0]) && within(was[1]))
            return of_part(sum_of(*within(was[0]), *within(was[1])), v.type, v.node);
        if (v.op == &index_scaled && within(was[0]) && number_of(from_, was[1]) >= 0)
            return of_part(scaled(*within(was[0]), number_of(from_, was[1])), v.type, v.node);
        if (v.op == &op::less::row) return compared(v, was);
        if (v.what == value_kind::index) return converted(index_value(index_of(v.at)), v.type, v.node);
        if (v.what == value_kind::load) return loaded(v, was[0]);
        return push(v, v.node);
    }

    /// Which part an element is in, as a comparison with a literal.
    int compared(value v, const std::array<int, ir::max_operands>& was) {
        const bool of_axis = !joined_.interleaved && axis_of_index(from_, was[0]) == joined_.axis;
        const bool of_remainder = within(was[0]) && *within(was[0]) == part_;
        const std::int64_t end = number_of(from_, was[1]), length = of_axis ? joined_.length : 1;
        if ((of_axis || of_remainder) && end >= 0 && end % length == 0)
            v.in = {index_value(part_), literal(end / length), -1};
        return push(v, v.node);
    }

    int loaded(value v, int displacement) {
        index_expression from = index_of(v.at);
        if (displacement >= 0) {
            if (!within(displacement)) return -1;
            from = sum_of(from, *within(displacement));
            v.in[0] = -1;
        }
        v.at = position_of(from).layout;
        v.varies = varies_by(v.at);
        return push(v, v.node);
    }

    int of_part(const index_expression& index, dtype type, int node) {
        within_.back() = index;
        return converted(index_value(index), type, node);
    }

    int literal(std::int64_t n) {
        value v;
        v.what = value_kind::constant;
        v.type = dtype::int64;
        v.bits = static_cast<std::uint64_t>(n);
        return push(v, -1);
    }

    const loop_nest& from_;
    const joined_axis joined_;
    std::vector<index_expression> along_;  ///< per outer axis: its index
    index_expression part_, place_;        ///< the part, and the index within it
    std::vector<int> now_;
    std::vector<std::optional<index_expression>> within_;
};

}  // namespace

std::optional<loop_nest> with_split_joins(const loop_nest& k) {
    if (k.call || !k.loops.empty()) return std::nullopt;
    const std::optional<joined_axis> joined = find_joined(k);
    if (!joined) return std::nullopt;
    std::optional<loop_nest> made = join_splitter(k, *joined).run();
    if (made) narrow_index_types(*made);
    return made;
}

}  // namespace sinter::codegen
