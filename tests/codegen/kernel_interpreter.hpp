// The definition of a kernel, read aloud: one group after the other, one element after the other, in double. The slow
// reference that generated kernels are compared with; it knows the few ops that those tests use.
#pragma once

#include <codegen/ir/loop_nest.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace sinter::codegen::testing {

class interpreter {
public:
    /// Inputs and outputs hold elements where the kernel's layouts put them; elements not stored keep what they held.
    interpreter(const loop_nest& interpreted, const std::vector<std::vector<double>>& inputs_read,
                const std::vector<double>& scalars_read, std::vector<std::vector<double>>& outputs_written)
        : k(interpreted),
          inputs(inputs_read),
          scalars(scalars_read),
          outputs(outputs_written),
          index(k.extents.size()) {
        for (const value& v : k.values) functions.push_back(v.op != nullptr ? function_named(v.op->name) : nullptr);
    }

    void run() {
        const std::vector<int> folds = group_folds(k);
        std::vector<double> of_all;
        for (int r : folds) of_all.push_back(identity(k.values[static_cast<std::size_t>(r)].op->name));
        over(k.outer, 0, [&] {
            group();
            for (std::size_t i = 0; i < folds.size(); ++i) {
                const auto r = static_cast<std::size_t>(folds[i]);
                of_all[i] = apply(r, of_all[i], at(k.values[r].in[0]), 0);
            }
        });
        for (std::size_t i = 0; i < folds.size(); ++i) at(folds[i]) = of_all[i];
        for (std::size_t v = 0; v < k.values.size(); ++v)
            if (k.values[v].loop == kernel_level && k.values[v].what != value_kind::reduce) now[v] = compute(v);
        store(kernel_level);
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
                    now[v] = compute(v);
            if (l == static_cast<int>(k.loops.size())) break;
            const inner_loop& inner = k.loops[static_cast<std::size_t>(l)];
            for (int r : inner.reductions) {
                at(r) = identity(k.values[static_cast<std::size_t>(r)].op->name);
                folded[static_cast<std::size_t>(r)].clear();
            }
            over(inner.axes, 0, [&] {
                for (std::size_t v = 0; v < k.values.size(); ++v)
                    if (k.values[v].loop == l) now[v] = compute(v);
                for (int r : inner.reductions) {
                    const value& fold = k.values[static_cast<std::size_t>(r)];
                    if (is_moments(fold.type))
                        folded[static_cast<std::size_t>(r)].push_back(at(fold.in[0]));
                    else
                        at(r) = apply(static_cast<std::size_t>(r), at(r), at(fold.in[0]), 0);
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

    double compute(std::size_t position) {
        const value& v = k.values[position];
        switch (v.what) {
            case value_kind::load: return inputs[static_cast<std::size_t>(v.input)][where(v.at)];
            case value_kind::index: return static_cast<double>(where(v.at));
            case value_kind::scalar: return scalars[static_cast<std::size_t>(v.scalar)];
            case value_kind::constant: return constant(v);
            case value_kind::cast: return converted(v.type, at(v.in[0]));
            default:
                if (v.op->rule == dtype_rule::moment)
                    return moment(v.op->name, folded[static_cast<std::size_t>(v.in[0])]);
                return apply(position, at(v.in[0]), v.in[1] < 0 ? 0 : at(v.in[1]), v.in[2] < 0 ? 0 : at(v.in[2]));
        }
    }

    static double converted(dtype type, double x) {
        if (type == dtype::float16) return static_cast<double>(static_cast<float16>(x));
        if (type == dtype::float8_e4m3) return static_cast<double>(static_cast<float8_e4m3>(x));
        if (type == dtype::float8_e5m2) return static_cast<double>(static_cast<float8_e5m2>(x));
        if (type == dtype::bfloat16) return static_cast<double>(static_cast<bfloat16>(x));
        return is_integer(type) ? std::trunc(x) : x;
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

    using function = double (*)(double x, double y, double z);
    static function function_named(const std::string& op) {
        static const std::map<std::string, function> all = {
            {"add", [](double x, double y, double) { return x + y; }},
            {"sum", [](double x, double y, double) { return x + y; }},
            {"subtract", [](double x, double y, double) { return x - y; }},
            {"multiply", [](double x, double y, double) { return x * y; }},
            {"prod", [](double x, double y, double) { return x * y; }},
            {"divide", [](double x, double y, double) { return x / y; }},
            {"square", [](double x, double, double) { return x * x; }},
            {"negative", [](double x, double, double) { return -x; }},
            {"sqrt", [](double x, double, double) { return std::sqrt(x); }},
            {"reciprocal", [](double x, double, double) { return 1 / x; }},
            {"exp", [](double x, double, double) { return std::exp(x); }},
            {"max", [](double x, double y, double) { return std::fmax(x, y); }},
            {"maximum", [](double x, double y, double) { return std::fmax(x, y); }},
            {"min", [](double x, double y, double) { return std::fmin(x, y); }},
            {"minimum", [](double x, double y, double) { return std::fmin(x, y); }},
            {"less", [](double x, double y, double) { return x < y ? 1.0 : 0.0; }},
            {"where", [](double x, double y, double z) { return x != 0 ? y : z; }},
        };
        const auto found = all.find(op);
        return found == all.end() ? nullptr : found->second;
    }

    /// A value's op of the values that it names. Names are looked up once: there are many elements.
    double apply(std::size_t v, double x, double y, double z) const {
        if (functions[v] == nullptr)
            throw std::out_of_range(std::string("the interpreter has no '") + k.values[v].op->name + "': add it");
        return functions[v](x, y, z);
    }

    std::size_t where(int layout_position) const {
        std::int64_t offset = 0;
        for (std::size_t a = 0; a < index.size(); ++a)
            offset += index[a] * k.layouts[static_cast<std::size_t>(layout_position)].stride[a];
        return static_cast<std::size_t>(offset);
    }
    double& at(int v) { return now[static_cast<std::size_t>(v)]; }

    const loop_nest& k;
    const std::vector<std::vector<double>>& inputs;
    const std::vector<double>& scalars;
    std::vector<std::vector<double>>& outputs;
    std::vector<std::int64_t> index;
    std::vector<function> functions;  ///< of the values that have an op
    std::vector<double> now;
    std::vector<std::vector<double>> folded;  ///< what each reduction to moments has met
};

}  // namespace sinter::codegen::testing
