// Moves conversions into choices between scalars and constants, which are converted once per call.
#include <codegen/host/cast_choices.hpp>

#include <codegen/host/kernel_parts.hpp>
#include <codegen/host/value_types.hpp>

#include <algorithm>
#include <utility>
#include <vector>

namespace sinter::codegen::blocked {
namespace {

class choice_converter {
public:
    explicit choice_converter(const loop_nest& k) : k_(k), uses_(k.values.size(), 0) {
        for (const value& v : k.values)
            for (const int in : v.in)
                if (in >= 0) ++uses_[static_cast<std::size_t>(in)];
        for (const kernel_store& s : k.stores) ++uses_[static_cast<std::size_t>(s.value)];
    }

    bool finds_any() const {
        return std::any_of(k_.values.begin(), k_.values.end(), [this](const value& v) { return converts_choice(v); });
    }

    loop_nest convert() const {
        loop_nest made = k_;
        made.values.clear();
        std::vector<int> now(k_.values.size(), -1);
        for (std::size_t i = 0; i < k_.values.size(); ++i) {
            value v = k_.values[i];
            if (converts_choice(v))
                v = converted(v, made.values, now);
            else
                for (int& in : v.in)
                    if (in >= 0) in = now[static_cast<std::size_t>(in)];
            made.values.push_back(v);
            now[i] = static_cast<int>(made.values.size()) - 1;
        }
        for (kernel_store& s : made.stores) s.value = now[static_cast<std::size_t>(s.value)];
        for (inner_loop& l : made.loops)
            for (int& id : l.reductions) id = now[static_cast<std::size_t>(id)];
        drop_unneeded_values(made);
        return made;
    }

private:
    const value& at(int i) const { return k_.values[static_cast<std::size_t>(i)]; }

    bool is_number(int i, dtype type) const {
        return (at(i).what == value_kind::scalar || at(i).what == value_kind::constant) && type_of(k_, at(i)) == type;
    }

    /// Whether a value converts a choice between numbers of one dtype that nothing else reads.
    bool converts_choice(const value& v) const {
        if (v.what != value_kind::cast || uses_[static_cast<std::size_t>(v.in[0])] != 1) return false;
        const value& choice = at(v.in[0]);
        return choice.what == value_kind::elementwise && choice.op->rule == dtype_rule::select &&
               choice.loop == v.loop && is_number(choice.in[1], choice.type) && is_number(choice.in[2], choice.type);
    }

    /// The choice between the converted numbers, which it adds.
    value converted(const value& cast, std::vector<value>& values, const std::vector<int>& now) const {
        value choice = at(cast.in[0]);
        choice.in[0] = now[static_cast<std::size_t>(choice.in[0])];
        for (const std::size_t arm : {1, 2}) {
            value number = cast;
            number.in[0] = now[static_cast<std::size_t>(choice.in[arm])];
            number.varies = 0;
            number.loop = group_level;
            number.stage = 0;
            choice.in[arm] = static_cast<int>(values.size());
            values.push_back(number);
        }
        choice.type = cast.type;
        return choice;
    }

    const loop_nest& k_;
    std::vector<int> uses_;
};

}  // namespace

std::optional<loop_nest> with_cast_choices(const loop_nest& k) {
    const choice_converter one(k);
    if (!one.finds_any()) return std::nullopt;
    return one.convert();
}

}  // namespace sinter::codegen::blocked
