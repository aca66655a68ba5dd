// Follows a load to its only user, and that one to its own, through the branches of choices.
#include <codegen/schedule/guards.hpp>

#include <sinter/op/functions.hpp>

#include <algorithm>

namespace sinter::codegen {
namespace {

/// The only operand that a value is, or none if it is stored or has several uses.
struct only_use {
    int user = -1;
    std::size_t operand = 0;
};

only_use use_of(const loop_nest& k, int of) {
    only_use found;
    for (const kernel_store& s : k.stores)
        if (s.value == of) return {};
    for (int v = of + 1; v < static_cast<int>(k.values.size()); ++v) {
        const value& user = k.values[static_cast<std::size_t>(v)];
        for (std::size_t i = 0; i < user.in.size(); ++i) {
            if (user.in[i] != of) continue;
            if (found.user >= 0) return {};
            found = {v, i};
        }
    }
    return found;
}

/// Whether a value is known before anything is loaded, and has no index along an axis.
bool is_shared(const loop_nest& k, int of, int axis) {
    const value& v = k.values[static_cast<std::size_t>(of)];
    if ((v.varies >> axis & 1u) != 0) return false;
    if (v.what == value_kind::elementwise || v.what == value_kind::cast)
        return std::all_of(v.in.begin(), v.in.end(), [&](int in) { return in < 0 || is_shared(k, in, axis); });
    return v.what == value_kind::index || v.what == value_kind::scalar || v.what == value_kind::constant;
}

/// Whether a value is computed from loads.
bool loads(const loop_nest& k, int of) {
    const value& v = k.values[static_cast<std::size_t>(of)];
    return v.what == value_kind::load ||
           std::any_of(v.in.begin(), v.in.end(), [&](int in) { return in >= 0 && loads(k, in); });
}

}  // namespace

std::vector<guard> guards_of(const loop_nest& k, int load, int axis) {
    std::vector<guard> all;
    if (axis < 0) return all;
    for (only_use use = use_of(k, load); use.user >= 0; use = use_of(k, use.user)) {
        const value& user = k.values[static_cast<std::size_t>(use.user)];
        if (user.what != value_kind::elementwise && user.what != value_kind::cast) break;
        if (user.op != &op::where::row) continue;
        if (use.operand == 0) break;
        const bool holds = use.operand == 1;
        const bool is_known = k.loops.empty() || k.values[static_cast<std::size_t>(user.in[0])].loop == group_level;
        if (is_known && is_shared(k, user.in[0], axis))
            all.push_back({user.in[0], holds, loads(k, user.in[holds ? 2 : 1])});
    }
    return all;
}

}  // namespace sinter::codegen
