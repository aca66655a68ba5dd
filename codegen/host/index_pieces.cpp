// Finds the pieces of decided values: by formulas where the ops have rules, else by evaluating block by block.
#include <codegen/host/index_pieces.hpp>

#include <codegen/host/affine_sections.hpp>
#include <codegen/host/value_types.hpp>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>

namespace sinter::codegen::blocked {
namespace {

constexpr std::size_t at_once = 1024;  // elements
constexpr int max_blocks = 16384;      // of one value, which take about 100 ms
struct alignas(64) value_column {
    std::byte bytes[at_once * sizeof(std::int64_t)];
};

/// Finds the pieces of a sequence of values.
class piece_finder {
public:
    piece_finder(bool is_bool, const std::vector<std::int64_t>& cuts) : is_bool_(is_bool), cuts_(cuts) {}

    void add(std::int64_t n) {
        const std::int64_t i = next_++;
        const bool cut = cut_ < cuts_.size() && cuts_[cut_] == i;
        if (cut) ++cut_;
        if (found_.empty() || cut) return begin(i, n);
        piece& last = found_.back();
        const std::int64_t length = i - last.begin;
        if (length == 1 && !is_bool_) {
            last.step = n - last.base;
        } else if (n != last.base + last.step * length) {
            // two elements may have a step by chance if the second begins another piece
            const std::int64_t before = last.base + last.step * (length - 1);
            if (length == 2 && last.step != 0 && !is_bool_) {
                last.step = 0;
                begin(i - 1, before);
                found_.back().step = n - before;
            } else {
                begin(i, n);
            }
        }
    }
    /// Adds n values. Most of them continue a piece, which one comparison per value finds.
    template <class T>
    void add_all(const T* values, std::int64_t n) {
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t run = continued(values + i, std::min(n - i, before_cut()));
            next_ += run;
            i += run;
            if (i < n) add(static_cast<std::int64_t>(values[i++]));
        }
    }
    /// Adds base, base + step ..., n values. After the first few, all up to a cut continue a piece.
    void add_affine(std::int64_t base, std::int64_t step, std::int64_t n) {
        for (std::int64_t i = 0; i < n;) {
            const std::int64_t run = is_known_to_be(base + step * i, step) ? std::min(n - i, before_cut()) : 0;
            next_ += run;
            i += run;
            if (i < n) add(base + step * i++);
        }
    }
    std::size_t free_pieces() const { return found_.size() - std::min(found_.size(), cut_); }
    std::vector<piece> take() { return std::move(found_); }

private:
    void begin(std::int64_t i, std::int64_t n) { found_.push_back({i, n, 0}); }

    std::int64_t before_cut() const {
        return cut_ < cuts_.size() ? cuts_[cut_] - next_ : std::numeric_limits<std::int64_t>::max();
    }

    bool knows_step() const { return !found_.empty() && next_ - found_.back().begin >= (is_bool_ ? 1 : 2); }

    /// Whether the last piece continues with value n, and has this step.
    bool is_known_to_be(std::int64_t n, std::int64_t step) const {
        return knows_step() && found_.back().step == step &&
               n == found_.back().base + step * (next_ - found_.back().begin);
    }

    /// How many of the first n values continue the last piece, whose step must be known.
    template <class T>
    std::int64_t continued(const T* values, std::int64_t n) const {
        if (!knows_step()) return 0;
        const piece& last = found_.back();
        const auto step = static_cast<std::uint64_t>(last.step);  // unsigned: values may wrap around
        const std::uint64_t next =
            static_cast<std::uint64_t>(last.base) + step * static_cast<std::uint64_t>(next_ - last.begin);
        const auto continues = [=](std::int64_t i) {
            return static_cast<std::uint64_t>(values[i]) == next + step * static_cast<std::uint64_t>(i);
        };
        bool all = true;
        for (std::int64_t i = 0; i < n; ++i) all &= continues(i);  // without a branch: vectorised
        std::int64_t run = all ? n : 0;
        while (!all && continues(run)) ++run;
        return run;
    }

    bool is_bool_;
    const std::vector<std::int64_t>& cuts_;
    std::size_t cut_ = 0;
    std::int64_t next_ = 0;
    std::vector<piece> found_;
};

void add_values(piece_finder& finder, dtype type, const void* values, std::int64_t n) {
    if (type == dtype::int64)
        finder.add_all(static_cast<const std::int64_t*>(values), n);
    else if (type == dtype::int32)
        finder.add_all(static_cast<const std::int32_t*>(values), n);
    else
        finder.add_all(static_cast<const unsigned char*>(values), n);
}

/// The values that `id` depends on, including itself, operands first.
std::vector<int> needed_for(const loop_nest& k, int id) {
    std::vector<char> needed(k.values.size(), 0);
    needed[static_cast<std::size_t>(id)] = 1;
    std::vector<int> found;
    for (int i = id; i >= 0; --i) {
        if (!needed[static_cast<std::size_t>(i)]) continue;
        found.push_back(i);
        for (const int in : k.values[static_cast<std::size_t>(i)].in)
            if (in >= 0) needed[static_cast<std::size_t>(in)] = 1;
    }
    std::reverse(found.begin(), found.end());
    return found;
}

template <class T, class F>
void write_elements(void* to, std::size_t n, F element) {
    for (std::size_t i = 0; i < n; ++i) static_cast<T*>(to)[i] = static_cast<T>(element(i));
}
template <class F>
void write_elements(dtype type, void* to, std::size_t n, F element) {
    if (type == dtype::int64)
        write_elements<std::int64_t>(to, n, element);
    else if (type == dtype::int32)
        write_elements<std::int32_t>(to, n, element);
    else
        write_elements<bool>(to, n, element);
}

}  // namespace

std::int64_t to_integer(dtype type, const void* element) {
    std::int64_t wide = 0;
    std::int32_t narrow = 0;
    if (type == dtype::int64) std::memcpy(&wide, element, sizeof wide);
    if (type == dtype::int32) std::memcpy(&narrow, element, sizeof narrow);
    if (type == dtype::bool_) return *static_cast<const unsigned char*>(element) != 0;
    return type == dtype::int64 ? wide : narrow;
}

std::int64_t fixed_value(const loop_nest& k, const value& v) {
    if (v.what == value_kind::scalar)
        return k.numbers[static_cast<std::size_t>(-1 - k.scalars[static_cast<std::size_t>(v.scalar)])];
    return to_integer(v.type, &v.bits);
}

std::uint64_t to_bits(dtype type, std::int64_t n) {
    std::uint64_t bits = 0;
    write_elements(type, &bits, 1, [n](std::size_t) { return n; });
    return bits;
}

std::vector<char> find_decided(const loop_nest& k, bool in_loops) {
    std::vector<char> decided(k.values.size(), 0);
    for (std::size_t i = 0; i < k.values.size(); ++i) {
        const value& v = k.values[i];
        if (!is_index_type(type_of(k, v)) || (v.loop != group_level && (!in_loops || v.loop < 0))) continue;
        const bool computed = v.what == value_kind::elementwise || v.what == value_kind::cast;
        decided[i] = v.what == value_kind::index || v.what == value_kind::constant || computed ||
                     (v.what == value_kind::scalar && k.scalars[static_cast<std::size_t>(v.scalar)] < 0);
        for (const int in : v.in) decided[i] = decided[i] && (in < 0 || decided[static_cast<std::size_t>(in)]);
    }
    return decided;
}

void apply(const loop_nest& k, const value& v, const void* const* in, void* out, std::size_t n, instruction_set isa) {
    if (v.what == value_kind::cast)
        return cast_loop(v.type, type_of(k, k.values[static_cast<std::size_t>(v.in[0])]), isa)(out, in, n);
    const dtype t = computed_type(k, v);
    std::array<value_column, ir::max_operands> converted;
    const void* operands[ir::max_operands] = {};
    for (int i = 0; i < v.op->arity; ++i) {
        const dtype from = type_of(k, k.values[static_cast<std::size_t>(v.in[i])]),
                    to = detail::operand_of(v.op->rule, t, i);
        operands[i] = in[i];
        if (from == to) continue;
        cast_loop(to, from, isa)(converted[static_cast<std::size_t>(i)].bytes, in + i, n);
        operands[i] = converted[static_cast<std::size_t>(i)].bytes;
    }
    loops_of(*v.op, t, isa).map(out, operands, n);
}

namespace {

/// Evaluates decided values along an axis with the ops' own loops.
class block_reader {
public:
    block_reader(const loop_nest& k, const std::vector<int>& needed, int axis, const axis_indices& at,
                 instruction_set isa)
        : k_(k),
          needed_(needed),
          axis_(static_cast<std::size_t>(axis)),
          other_(at),
          isa_(isa),
          at_(k.values.size(), -1),
          columns_(needed.size()) {
        for (std::size_t c = 0; c < needed.size(); ++c) at_[static_cast<std::size_t>(needed[c])] = static_cast<int>(c);
        for (const int i : needed) {
            const value& v = k.values[static_cast<std::size_t>(i)];
            if (v.what != value_kind::constant && v.what != value_kind::scalar) continue;
            const std::int64_t fixed = fixed_value(k, v);
            write_elements(type_of(k, v), column_of(i), at_once, [fixed](std::size_t) { return fixed; });
        }
    }

    /// The last of the values at n indices from `begin` on; n is at most at_once.
    const void* read(std::int64_t begin, std::size_t n) {
        for (const int i : needed_) {
            const value& v = k_.values[static_cast<std::size_t>(i)];
            if (v.what == value_kind::constant || v.what == value_kind::scalar) continue;
            if (v.what == value_kind::index) {
                const layout& l = k_.layouts[static_cast<std::size_t>(v.at)];
                const std::int64_t step = l.stride[axis_], from = offset_of(l, axis_, other_);
                write_elements(v.type, column_of(i), n,
                               [&](std::size_t e) { return from + (begin + static_cast<std::int64_t>(e)) * step; });
                continue;
            }
            const void* in[ir::max_operands] = {};
            for (int o = 0; o < ir::max_operands; ++o)
                if (v.in[o] >= 0) in[o] = column_of(v.in[o]);
            apply(k_, v, in, column_of(i), n, isa_);
        }
        return column_of(needed_.back());
    }

private:
    void* column_of(int v) { return columns_[static_cast<std::size_t>(at_[static_cast<std::size_t>(v)])].bytes; }

    const loop_nest& k_;
    const std::vector<int>& needed_;
    const std::size_t axis_;
    const axis_indices& other_;
    const instruction_set isa_;
    std::vector<int> at_;  ///< by value: its column
    std::vector<value_column> columns_;
};

}  // namespace

std::vector<piece> pieces_along(const loop_nest& k, int id, int axis, const std::vector<std::int64_t>& cuts,
                                std::size_t max_pieces, instruction_set isa, const axis_indices& at) {
    const std::vector<int> needed = needed_for(k, id);
    const dtype type = type_of(k, k.values[static_cast<std::size_t>(id)]);
    const std::int64_t extent = k.extents[static_cast<std::size_t>(axis)];
    constexpr auto block = static_cast<std::int64_t>(at_once);
    std::optional<block_reader> reader;
    int blocks = 0;
    piece_finder finder(type == dtype::bool_, cuts);
    for (std::int64_t begin = 0; begin < extent;) {
        // a section shorter than a block takes longer than the block
        const std::optional<affine_section> s = affine_section_from(k, needed, axis, begin, at, isa);
        if (s && (s->end == extent || s->end - begin >= block)) {
            finder.add_affine(s->base, s->step, s->end - begin);
            begin = s->end;
        } else {
            if (++blocks > max_blocks) return {};
            if (!reader) reader.emplace(k, needed, axis, at, isa);
            const std::int64_t n = std::min(extent - begin, block);
            add_values(finder, type, reader->read(begin, static_cast<std::size_t>(n)), n);
            begin += n;
        }
        if (finder.free_pieces() > max_pieces) return {};
    }
    return finder.take();
}

}  // namespace sinter::codegen::blocked
