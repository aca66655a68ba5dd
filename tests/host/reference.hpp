// What the host back end is compared with: the ops written down a second time, in double, and a kernel run literally as
// codegen/ir/loop_nest.hpp describes it, one element after the other.
#pragma once

#include <codegen/ir/loop_nest.hpp>
#include <codegen/kernel_builder.hpp>
#include <codegen/rows/dispatch.hpp>
#include <host/reference_ops.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

inline constexpr dtype all_dtypes[] = {dtype::bool_,  dtype::int8,    dtype::int16,  dtype::int32,
                                       dtype::int64,  dtype::uint8,   dtype::uint16, dtype::uint32,
                                       dtype::uint64, dtype::float32, dtype::float64};

/// One element of a dtype as a double, and back; integers wrap as C++ converts them.
inline double element(dtype d, const void* at) {
    const auto as = [at](auto v) {
        std::memcpy(&v, at, sizeof v);
        return static_cast<double>(v);
    };
    switch (d) {
        case dtype::bool_: return as(std::uint8_t{});
        case dtype::int8: return as(std::int8_t{});
        case dtype::int16: return as(std::int16_t{});
        case dtype::int32: return as(std::int32_t{});
        case dtype::int64: return as(std::int64_t{});
        case dtype::uint8: return as(std::uint8_t{});
        case dtype::uint16: return as(std::uint16_t{});
        case dtype::uint32: return as(std::uint32_t{});
        case dtype::uint64: return as(std::uint64_t{});
        case dtype::float32: return as(float{});
        default: return as(double{});
    }
}

inline void set_element(dtype d, void* at, double x) {
    const auto put = [at](auto v) { std::memcpy(at, &v, sizeof v); };
    switch (d) {
        case dtype::bool_: return put(std::uint8_t(x != 0));
        case dtype::int8: return put(std::int8_t(std::int64_t(x)));
        case dtype::int16: return put(std::int16_t(std::int64_t(x)));
        case dtype::int32: return put(std::int32_t(std::int64_t(x)));
        case dtype::int64: return put(std::int64_t(x));
        case dtype::uint8: return put(std::uint8_t(std::int64_t(x)));
        case dtype::uint16: return put(std::uint16_t(std::int64_t(x)));
        case dtype::uint32: return put(std::uint32_t(std::int64_t(x)));
        case dtype::uint64: return put(x < 0 ? std::uint64_t(std::int64_t(x)) : std::uint64_t(x));  // wraps around
        case dtype::float32: return put(static_cast<float>(x));
        default: return put(x);
    }
}

inline double rounded(dtype d, double x) {
    alignas(8) std::byte bytes[8];
    set_element(d, bytes, x);
    return element(d, bytes);
}

/// Values that are small, so that integers do not overflow, and distinct enough to tell elements apart.
inline double random_element(dtype d, std::mt19937& random) {
    if (d == dtype::bool_) return double(random() & 1);
    if (!is_floating(d))
        return kind_of(d) == dtype_kind::unsigned_integer ? double(random() % 7) : double(int(random() % 13) - 6);
    return rounded(d, std::uniform_real_distribution<double>(-2, 2)(random));
}

/// Memory behind one input or output, with room for every offset its layout reaches; poisoned to begin with.
struct array_memory {
    dtype type{};
    std::vector<std::byte> bytes;
    std::int64_t first = 0;  ///< elements before the one at index 0: strides may be negative

    array_memory(const loop_nest& k, const layout& at, dtype t) : type(t) {
        std::int64_t last = 0;
        for (std::size_t a = 0; a < k.extents.size(); ++a) {
            const std::int64_t reach = at.stride[a] * std::max<std::int64_t>(k.extents[a] - 1, 0);
            (reach < 0 ? first : last) += reach < 0 ? -reach : reach;
        }
        bytes.assign(static_cast<std::size_t>(first + last + 1) * size_of(t), std::byte{0xA5});
    }
    void* data() { return bytes.data() + static_cast<std::size_t>(first) * size_of(type); }
    double get(std::int64_t i) const {
        return element(type, bytes.data() + static_cast<std::size_t>(first + i) * size_of(type));
    }
    void set(std::int64_t i, double x) {
        set_element(type, bytes.data() + static_cast<std::size_t>(first + i) * size_of(type), x);
    }
    std::int64_t elements() const { return static_cast<std::int64_t>(bytes.size() / size_of(type)); }
    void randomise(std::mt19937& random) {
        for (std::int64_t i = 0; i < elements(); ++i) set(i - first, random_element(type, random));
    }
};

/// Runs a kernel one group and one element at a time. `inputs` and `outputs` are in the kernel's order.
class naive_evaluation {
public:
    naive_evaluation(const loop_nest& k, std::vector<array_memory>& inputs, std::vector<array_memory>& outputs,
                     std::vector<double> scalars)
        : k_(k),
          inputs_(inputs),
          outputs_(outputs),
          scalars_(std::move(scalars)),
          now_(k.values.size()),
          index_(k.extents.size()) {
        for (const value& v : k.values) functions_.push_back(v.op ? reference_function_named(v.op->name) : nullptr);
    }

    void run() {
        for_each(k_.outer, [this] {
            for (std::size_t l = 0; l <= k_.loops.size(); ++l) {
                compute(group_level, static_cast<int>(l));
                if (l < k_.loops.size()) run_loop(static_cast<int>(l));
            }
            store(group_level);
        });
    }

private:
    template <class F>
    void for_each(const std::vector<int>& axes, F f, std::size_t p = 0) {
        if (p == axes.size()) return f();
        for (std::int64_t i = 0; i < k_.extents[axes[p]]; ++i) {
            index_[axes[p]] = i;
            for_each(axes, f, p + 1);
        }
        index_[axes[p]] = 0;
    }
    std::int64_t offset(int at) const {
        std::int64_t o = 0;
        for (std::size_t a = 0; a < index_.size(); ++a) o += index_[a] * k_.layouts[at].stride[a];
        return o;
    }
    /// A value's op. Names are looked up once: there are many elements.
    double apply(std::size_t id, double x, double y, double z, dtype t = dtype::float64) const {
        return functions_[id] ? functions_[id](x, y, z) : reference_op(k_.values[id].op->name, x, y, z, t);
    }
    void compute(int loop, int stage) {
        for (std::size_t id = 0; id < k_.values.size(); ++id) {
            const value& v = k_.values[id];
            if (v.what == value_kind::reduce || v.loop != loop || (loop == group_level && v.stage != stage)) continue;
            const auto in = [&](int i) { return v.in[i] < 0 ? 0.0 : now_[v.in[i]]; };
            switch (v.what) {
                case value_kind::load: now_[id] = inputs_[v.input].get(offset(v.at)); break;
                case value_kind::scalar: now_[id] = scalars_[v.scalar]; break;
                case value_kind::constant: now_[id] = element(v.type, &v.bits); break;
                case value_kind::cast: now_[id] = rounded(v.type, in(0)); break;
                default: now_[id] = rounded(v.type, apply(id, in(0), in(1), in(2), v.type));
            }
        }
    }
    void run_loop(int l) {
        for (const int r : k_.loops[l].reductions) {
            const std::string op = k_.values[r].op->name;
            const double inf = std::numeric_limits<double>::infinity();
            now_[r] = op == "sum" || op == "any" ? 0 : op == "prod" || op == "all" ? 1 : op == "max" ? -inf : inf;
        }
        for_each(k_.loops[l].axes, [&] {
            compute(l, 0);
            for (const int r : k_.loops[l].reductions) now_[r] = apply(r, now_[r], now_[k_.values[r].in[0]], 0);
            store(l);
        });
    }
    void store(int loop) {
        for (const kernel_store& s : k_.stores)
            if (s.loop == loop) outputs_[s.output].set(offset(s.at), now_[s.value]);
    }

    const loop_nest& k_;
    std::vector<array_memory>& inputs_;
    std::vector<array_memory>& outputs_;
    std::vector<double> scalars_;
    std::vector<double> now_;
    std::vector<std::int64_t> index_;
    std::vector<reference_function> functions_;  ///< of the values that have an op
};

/// A kernel's inputs, filled at random, and its scalars.
struct kernel_data {
    std::vector<array_memory> inputs;
    std::vector<array_memory> outputs;
    std::vector<double> scalars;
    std::vector<ir::scalar_bits> bits;

    kernel_data(const loop_nest& k, std::mt19937& random) {
        for (std::size_t i = 0; i < k.inputs.size(); ++i) {
            int at = -1;
            for (const value& v : k.values)
                if (v.what == value_kind::load && v.input == static_cast<int>(i)) at = v.at;
            inputs.emplace_back(k, k.layouts[at], k.inputs[i].type);
            inputs.back().randomise(random);
        }
        for (std::size_t i = 0; i < k.outputs.size(); ++i) {
            int at = -1;
            for (const kernel_store& s : k.stores)
                if (s.output == static_cast<int>(i)) at = s.at;
            outputs.emplace_back(k, k.layouts[at], k.outputs[i]);
        }
        for (const dtype d : k.scalar_types) {
            scalars.push_back(random_element(d, random));
            bits.emplace_back();
            set_element(d, &bits.back().bits, scalars.back());
        }
    }
    std::vector<const void*> input_pointers() {
        std::vector<const void*> all;
        for (array_memory& m : inputs) all.push_back(m.data());
        return all;
    }
    std::vector<void*> output_pointers() {
        std::vector<void*> all;
        for (array_memory& m : outputs) all.push_back(m.data());
        return all;
    }
};

/// The instruction sets of this build that this processor has.
inline std::vector<instruction_set> available_sets() {
    std::vector<instruction_set> all;
    for (const auto isa : {instruction_set::baseline, instruction_set::v3, instruction_set::v4})
        if (is_available(isa)) all.push_back(isa);
    return all;
}

}  // namespace sinter::codegen::testing
