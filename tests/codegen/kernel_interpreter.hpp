// The definition of a kernel, read aloud: one group after the other, one element after the other, in double. The slow
// reference that generated kernels are compared with; it knows the few ops that those tests use.
#pragma once

#include <codegen/ir/kernel.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

class interpreter {
public:
    /// Inputs and outputs hold elements where the kernel's layouts put them; elements not stored keep what they held.
    interpreter(const kernel& interpreted, const std::vector<std::vector<double>>& inputs_read,
                const std::vector<double>& scalars_read, std::vector<std::vector<double>>& outputs_written)
        : k(interpreted),
          inputs(inputs_read),
          scalars(scalars_read),
          outputs(outputs_written),
          index(k.extents.size()) {}

    void run() {
        over(k.outer, 0, [this] { group(); });
    }

private:
    template <class F>
    void over(const std::vector<int>& axes, std::size_t p, F body) {
        if (p == axes.size()) {
            body();
            return;
        }
        const auto axis = static_cast<std::size_t>(axes[p]);
        for (index[axis] = 0; index[axis] < k.extents[axis]; ++index[axis]) over(axes, p + 1, body);
        index[axis] = 0;
    }

    void group() {
        now.assign(k.values.size(), std::numeric_limits<double>::quiet_NaN());
        folded.assign(k.values.size(), {});
        for (int l = 0; l <= static_cast<int>(k.loops.size()); ++l) {
            for (std::size_t v = 0; v < k.values.size(); ++v)
                if (k.values[v].loop == group_level && k.values[v].what != value_kind::reduce && k.values[v].stage == l)
                    now[v] = compute(k.values[v]);
            if (l == static_cast<int>(k.loops.size())) break;
            const inner_loop& inner = k.loops[static_cast<std::size_t>(l)];
            for (int r : inner.reductions) {
                at(r) = identity(k.values[static_cast<std::size_t>(r)].op->name);
                folded[static_cast<std::size_t>(r)].clear();
            }
            over(inner.axes, 0, [&] {
                for (std::size_t v = 0; v < k.values.size(); ++v)
                    if (k.values[v].loop == l) now[v] = compute(k.values[v]);
                for (int r : inner.reductions) {
                    const value& fold = k.values[static_cast<std::size_t>(r)];
                    if (is_moments(fold.type))
                        folded[static_cast<std::size_t>(r)].push_back(at(fold.in[0]));
                    else
                        at(r) = apply(fold.op->name, at(r), at(fold.in[0]), 0);
                }
                store(l);
            });
        }
        store(group_level);
    }

    void store(int loop) {
        for (const kernel_store& s : k.stores)
            if (s.loop == loop) outputs[static_cast<std::size_t>(s.output)][where(s.at)] = at(s.value);
    }

    double compute(const value& v) {
        switch (v.what) {
            case value_kind::load: return inputs[static_cast<std::size_t>(v.input)][where(v.at)];
            case value_kind::scalar: return scalars[static_cast<std::size_t>(v.scalar)];
            case value_kind::constant: return constant(v);
            case value_kind::cast: return is_integer(v.type) ? std::trunc(at(v.in[0])) : at(v.in[0]);
            default:
                if (v.op->rule == dtype_rule::moment)
                    return moment(v.op->name, folded[static_cast<std::size_t>(v.in[0])]);
                return apply(v.op->name, at(v.in[0]), v.in[1] < 0 ? 0 : at(v.in[1]), v.in[2] < 0 ? 0 : at(v.in[2]));
        }
    }

    static double constant(const value& v) {
        if (v.type == dtype::float32) {
            float f = 0;
            std::memcpy(&f, &v.bits, sizeof f);
            return static_cast<double>(f);
        }
        double d = 0;
        std::memcpy(&d, &v.bits, sizeof d);
        return is_floating(v.type) ? d : static_cast<double>(static_cast<std::int64_t>(v.bits));
    }

    static double moment(const std::string& op, const std::vector<double>& of) {
        double mean = 0, squares = 0;
        for (double x : of) mean += x / static_cast<double>(of.size());
        for (double x : of) squares += (x - mean) * (x - mean);
        return op == "mean_of_moments" ? mean : op == "squares_of_moments" ? squares : static_cast<double>(of.size());
    }

    static double identity(const std::string& op) {
        return op == "sum" ? 0 : op == "prod" ? 1 : op == "max" ? -HUGE_VAL : HUGE_VAL;
    }

    static double apply(const std::string& op, double x, double y, double z) {
        if (op == "add" || op == "sum") return x + y;
        if (op == "subtract") return x - y;
        if (op == "multiply" || op == "prod") return x * y;
        if (op == "divide") return x / y;
        if (op == "square") return x * x;
        if (op == "negative") return -x;
        if (op == "sqrt") return std::sqrt(x);
        if (op == "reciprocal") return 1 / x;
        if (op == "exp") return std::exp(x);
        if (op == "max" || op == "maximum") return std::fmax(x, y);
        if (op == "min" || op == "minimum") return std::fmin(x, y);
        if (op == "less") return x < y ? 1 : 0;
        if (op == "where") return x != 0 ? y : z;
        throw std::out_of_range("the interpreter has no '" + op + "': add it");
    }

    std::size_t where(int layout_position) const {
        std::int64_t offset = 0;
        for (std::size_t a = 0; a < index.size(); ++a)
            offset += index[a] * k.layouts[static_cast<std::size_t>(layout_position)].stride[a];
        return static_cast<std::size_t>(offset);
    }
    double& at(int v) { return now[static_cast<std::size_t>(v)]; }

    const kernel& k;
    const std::vector<std::vector<double>>& inputs;
    const std::vector<double>& scalars;
    std::vector<std::vector<double>>& outputs;
    std::vector<std::int64_t> index;
    std::vector<double> now;
    std::vector<std::vector<double>> folded;  ///< what each reduction to moments has met
};

}  // namespace sinter::codegen::testing
