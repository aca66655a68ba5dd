// Finds equal values of several loops, and of these the last ones before the loops differ.
#include <codegen/schedule/kept_values.hpp>

#include <codegen/analysis/op_traits.hpp>
#include <codegen/ir/hash.hpp>
#include <codegen/schedule/gathers.hpp>
#include <codegen/schedule/loops.hpp>
#include <codegen/schedule/peeled_rows.hpp>

#include <algorithm>
#include <numeric>

namespace sinter::codegen {
namespace {

/// Instructions that a value takes with all that it is computed of, before a register is better spent on it: a
/// division, or a function.
constexpr double worth_keeping = 8;

bool is_evaluated(const value& v) { return v.what == value_kind::elementwise || v.what == value_kind::cast; }
bool is_loaded_or_index(const value& v) { return v.what == value_kind::load || v.what == value_kind::index; }

class equivalences {
public:
    explicit equivalences(const loop_nest& of) : k(of) {}

    std::vector<int> find() {
        for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
            hashes_.push_back(hash_of(v));
            first_.push_back(first_like(v));
        }
        return std::move(first_);
    }

private:
    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }

    int first_like(int v) const {
        const value& self = at(v);
        if (self.loop < 0 || (!is_loaded_or_index(self) && !is_evaluated(self))) return v;
        for (int u = 0; u < v; ++u) {
            if (hashes_[static_cast<std::size_t>(u)] != hashes_[static_cast<std::size_t>(v)]) continue;
            const value& other = at(u);
            if (other.what == self.what && other.op == self.op && other.loop >= 0 && other.type == self.type &&
                have_same_operands(other, self) && (!is_loaded_or_index(self) || read_alike(k, other, self)))
                return u;
        }
        return v;
    }

    /// Equal for equivalent values: most pairs are told apart by it.
    std::size_t hash_of(int v) const {
        const value& self = at(v);
        std::size_t h = static_cast<std::size_t>(self.what) * 64 + static_cast<std::size_t>(self.type);
        h = hash_with(h, reinterpret_cast<std::size_t>(self.op));
        for (const int in : self.in) {
            const bool is_constant = in >= 0 && at(in).what == value_kind::constant;
            h = hash_with(h, in < 0        ? 0
                             : is_constant ? static_cast<std::size_t>(at(in).bits)
                                           : static_cast<std::size_t>(first_[static_cast<std::size_t>(in)] + 1));
        }
        return h;
    }

    bool have_same_operands(const value& a, const value& b) const {
        for (std::size_t i = 0; i < a.in.size(); ++i)
            if (!are_same(a.in[i], b.in[i])) return false;
        return true;
    }

    bool are_same(int a, int b) const {
        if (a < 0 || b < 0 || a == b) return a == b;
        const value &one = at(a), &other = at(b);
        if (one.what == value_kind::constant)
            return other.what == value_kind::constant && one.type == other.type && one.bits == other.bits;
        return first_[static_cast<std::size_t>(a)] == first_[static_cast<std::size_t>(b)];
    }

    const loop_nest& k;
    std::vector<int> first_;
    std::vector<std::size_t> hashes_;  ///< one per value
};

enum class kept_kinds : std::uint8_t { none, gathers, all };

class keeping {
public:
    keeping(const loop_nest& of, const std::vector<int>& equivalents) : k(of), first_(equivalents) {
        found.computed.resize(k.loops.size());
        found.given.resize(k.loops.size());
        found.is_needed.resize(k.values.size(), 0);
    }

    kept_values run(kept_kinds keeps, int elements) {
        walk(keeps);
        if (keeps == kept_kinds::none ||
            elements * bytes_kept() <= std::max(elements * bytes_read([](int) { return true; }), max_cached_bytes))
            return std::move(found);
        return keeping(k, first_).run(keeps == kept_kinds::all ? kept_kinds::gathers : kept_kinds::none, elements);
    }

private:
    const value& at(int v) const { return k.values[static_cast<std::size_t>(v)]; }

    /// From the results down, the last loop first, to values that an earlier loop has computed.
    void walk(kept_kinds keeps) {
        for (const kernel_store& st : k.stores) need(st.value);
        for (const value& v : k.values)
            if (!is_of_loop(v)) need_operands(v);
        for (auto l = static_cast<int>(k.loops.size()); l-- > 0;)
            for (auto v = static_cast<int>(k.values.size()); v-- > 0;) {
                if (!is_of_loop(at(v)) || at(v).loop != l || !found.needs(v)) continue;
                if (keeps != kept_kinds::none && is_given(v, keeps))
                    take(v);
                else
                    need_operands(at(v));
            }
    }

    static bool is_of_loop(const value& v) { return v.loop >= 0 && v.what != value_kind::reduce; }

    void need_operands(const value& v) {
        for (const int in : v.in) need(in);
    }

    void need(int v) {
        if (v >= 0) found.is_needed[static_cast<std::size_t>(v)] = 1;
    }

    /// A gather is not among the loads that the schedule keeps, and its index takes instructions, too.
    bool is_given(int v, kept_kinds keeps) const {
        if (at(earliest(v)).loop >= at(v).loop) return false;
        if (is_gather(at(v))) return true;
        return is_evaluated(at(v)) &&
               (joins_gathers(v) || (keeps == kept_kinds::all && instructions(v) >= worth_keeping));
    }

    /// Whether a value takes no more registers than the several gathers that its loop computes it of: the parts of a
    /// join, of which each element is in one.
    bool joins_gathers(int v) const {
        std::size_t bytes = 0;
        int gathers = 0;
        for_each_operand(v, [&](const value& self) {
            if (!is_gather(self)) return;
            bytes += size_of(self.type);
            ++gathers;
        });
        return gathers > 1 && size_of(at(v).type) <= bytes;
    }

    /// The equivalent value of the earliest loop.
    int earliest(int v) const {
        int found_at = v;
        for (int u = 0; u < static_cast<int>(k.values.size()); ++u)
            if (first_[static_cast<std::size_t>(u)] == first_[static_cast<std::size_t>(v)] &&
                at(u).loop < at(found_at).loop)
                found_at = u;
        return found_at;
    }

    void take(int v) {
        const int first = earliest(v);
        found.is_needed[static_cast<std::size_t>(v)] = 0;
        found.given[static_cast<std::size_t>(at(v).loop)].push_back(v);
        need(first);
        std::vector<int>& made = found.computed[static_cast<std::size_t>(at(first).loop)];
        if (std::find(made.begin(), made.end(), first) == made.end()) made.push_back(first);
    }

    /// A value, and all that its loop computes it of.
    template <class F>
    void for_each_operand(int v, F f) const {
        std::vector<char> counts(static_cast<std::size_t>(v) + 1, 0);
        counts.back() = 1;
        for (int u = v; u >= 0; --u) {
            const value& self = at(u);
            if (counts[static_cast<std::size_t>(u)] == 0 || self.loop != at(v).loop) continue;
            f(self);
            for (const int in : self.in)
                if (in >= 0) counts[static_cast<std::size_t>(in)] = 1;
        }
    }

    double instructions(int v) const {
        double all = 0;
        for_each_operand(v, [&](const value& self) {
            if (self.what == value_kind::elementwise) all += instructions_of(*self.op, self.type, k.precision).all;
            if (self.what == value_kind::cast) all += instructions_of_cast(at(self.in[0]).type, self.type).all;
        });
        return all;
    }

    /// Of an element: the kept values, and the loads that later loops need all the same.
    int bytes_kept() const {
        int bytes = bytes_read([this](int v) { return found.needs(v); });
        for (const std::vector<int>& loop : found.computed)
            for (const int v : loop) bytes += static_cast<int>(size_of(at(v).type));
        return bytes;
    }

    /// Of an element: the loads that later loops have again, and need.
    template <class F>
    int bytes_read(F is_needed) const {
        std::vector<char> counted(k.values.size(), 0);
        int bytes = 0;
        for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
            const value& self = at(v);
            const bool again = self.what == value_kind::load && self.in[0] < 0 && at(earliest(v)).loop < self.loop;
            char& known = counted[static_cast<std::size_t>(first_[static_cast<std::size_t>(v)])];
            if (!again || known != 0 || !is_needed(v)) continue;
            bytes += static_cast<int>(size_of(self.type));
            known = 1;
        }
        return bytes;
    }

    const loop_nest& k;
    const std::vector<int>& first_;
    kept_values found;
};

}  // namespace

std::vector<int> equivalent_values(const loop_nest& k) { return equivalences(k).find(); }

std::vector<int> equivalent_values(const loop_nest& k, const schedule& s) {
    if (s.register_cached) return equivalent_values(k);
    std::vector<int> own(k.values.size());
    std::iota(own.begin(), own.end(), 0);
    return own;
}

kept_values kept_values_of(const loop_nest& k, const schedule& s, const std::vector<int>& equivalents) {
    const bool keeps = s.register_cached && may_keep_values(k);
    return keeping(k, equivalents).run(keeps ? kept_kinds::all : kept_kinds::none, s.unroll * s.vector_width);
}

kept_values kept_values_of(const loop_nest& k, const schedule& s) {
    return kept_values_of(k, s, equivalent_values(k, s));
}

bool may_keep_values(const loop_nest& k) { return !has_scans(k) && k.nest_axis < 0 && k.block_axis < 0; }

int function_calls_of_kept(const loop_nest& k) {
    schedule cached;
    cached.register_cached = true;
    const kept_values kept = kept_values_of(k, cached);
    int calls = 0;
    for (int v = 0; v < static_cast<int>(k.values.size()); ++v) {
        const value& self = k.values[static_cast<std::size_t>(v)];
        if (self.op != nullptr && self.loop >= 0 && kept.needs(v)) calls += traits_of(*self.op).calls;
    }
    return calls;
}

}  // namespace sinter::codegen
