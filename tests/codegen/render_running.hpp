// Runs hand-built kernels on the emulated device and compares them with the interpreter, element by element; what is
// not stored must stay untouched.
#pragma once

#include <codegen/cuda/source.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/workspace.hpp>
#include <tests/codegen/kernel_interpreter.hpp>
#include <tests/codegen/kernel_samples.hpp>
#include <tests/emulate/running.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace sinter::codegen::testing {

inline emulate::emulated_device& emulated() {
    static emulate::emulated_device device;
    return device;
}

template <class F>
void with_type(dtype d, F f) {
    switch (d) {
        case dtype::bool_: return f(bool{});
        case dtype::int8: return f(std::int8_t{});
        case dtype::uint8: return f(std::uint8_t{});
        case dtype::int32: return f(std::int32_t{});
        case dtype::int64: return f(std::int64_t{});
        case dtype::float8_e4m3: return f(float8_e4m3{});
        case dtype::float8_e5m2: return f(float8_e5m2{});
        case dtype::float16: return f(float16{});
        case dtype::bfloat16: return f(bfloat16{});
        case dtype::float32: return f(float{});
        default: return f(double{});
    }
}

inline std::vector<char> bytes_of(const std::vector<double>& values, dtype d) {
    std::vector<char> bytes(values.size() * size_of(d));
    with_type(d, [&](auto t) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            t = static_cast<decltype(t)>(values[i]);
            std::memcpy(bytes.data() + i * sizeof t, &t, sizeof t);
        }
    });
    return bytes;
}

inline std::vector<double> values_of(const std::vector<char>& bytes, dtype d) {
    std::vector<double> values(bytes.size() / size_of(d));
    with_type(d, [&](auto t) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::memcpy(&t, bytes.data() + i * sizeof t, sizeof t);
            values[i] = static_cast<double>(t);
        }
    });
    return values;
}

inline std::size_t reach(const loop_nest& k, int layout_position, std::size_t so_far) {
    return std::max(so_far, static_cast<std::size_t>(reach_of(k, layout_position).elements()));
}

struct arguments {
    std::vector<std::vector<double>> inputs, outputs;
    std::vector<double> scalars;
};

inline arguments make_arguments(const loop_nest& k, unsigned seed) {
    std::mt19937 random(seed);
    arguments all;
    std::vector<std::size_t> input_size(k.inputs.size(), 1), output_size(k.outputs.size(), 1);
    for (const value& v : k.values)
        if (v.what == value_kind::load)
            input_size[static_cast<std::size_t>(v.input)] =
                reach(k, v.at, input_size[static_cast<std::size_t>(v.input)]);
    for (const kernel_store& s : k.stores)
        output_size[static_cast<std::size_t>(s.output)] =
            reach(k, s.at, output_size[static_cast<std::size_t>(s.output)]);
    for (std::size_t i = 0; i < k.inputs.size(); ++i) {
        std::vector<double> data(input_size[i]);
        for (double& x : data)
            x = is_floating(k.inputs[i].type) ? static_cast<double>(static_cast<float>(random()) / 4294967296.f) * 2 - 1
                                              : static_cast<double>(random() % 100);
        all.inputs.push_back(values_of(bytes_of(data, k.inputs[i].type), k.inputs[i].type));
    }
    for (std::size_t o = 0; o < k.outputs.size(); ++o) all.outputs.emplace_back(output_size[o], 77.0);
    for (std::size_t a = 0; a < k.scalars.size(); ++a) all.scalars.push_back(3 + static_cast<double>(random() % 7));
    return all;
}

inline bool is_in_place(const loop_nest& k) { return k.inputs.size() == 1 && k.inputs[0].may_alias_output; }

/// Each launch is to store all results.
inline void poison(emulate::emulated_device& device, const loop_nest& k, const arguments& all,
                   const std::vector<void*>& outputs) {
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const std::vector<char> bytes = bytes_of(all.outputs[o], k.outputs[o]);
        device.copy_from_host(outputs[o], bytes.data(), bytes.size());
    }
}

/// Renders, compiles and launches `times` times; gives the outputs.
inline std::vector<std::vector<double>> run(const loop_nest& k, const schedule& s, const arguments& all,
                                            int times = 1) {
    emulate::emulated_device& device = emulated();
    const printed_kernel r = print_kernel(k, s, "");
    static std::map<std::string, loaded_kernel*> loaded;
    if (loaded.count(r.text) == 0) {
        SCOPED_TRACE(r.text);
        loaded[r.text] = emulate::load_rendered(device, r);
    }
    std::vector<std::pair<void*, std::size_t>> memory;
    const auto upload = [&](const std::vector<char>& bytes) {
        memory.emplace_back(device.allocate(bytes.size()), bytes.size());
        device.copy_from_host(memory.back().first, bytes.data(), bytes.size());
        return memory.back().first;
    };
    std::vector<void*> inputs, outputs;
    for (std::size_t i = 0; i < k.inputs.size(); ++i)
        inputs.push_back(upload(bytes_of(all.inputs[i], k.inputs[i].type)));
    for (std::size_t o = 0; o < k.outputs.size(); ++o)
        outputs.push_back(is_in_place(k) ? inputs[0] : upload(bytes_of(all.outputs[o], k.outputs[o])));
    void* workspace = workspace_bytes(k, s) > 0 ? upload(std::vector<char>(workspace_bytes(k, s), 0)) : nullptr;

    std::vector<std::vector<char>> storage;
    const auto integer = [&](std::int64_t n) {
        std::vector<char> bytes(8);
        const auto narrow = static_cast<std::int32_t>(n);
        std::memcpy(bytes.data(), s.wide_index ? static_cast<const void*>(&n) : &narrow, s.wide_index ? 8 : 4);
        return bytes;
    };
    const auto pointer = [&](void* p) {
        std::vector<char> bytes(sizeof p);
        std::memcpy(bytes.data(), &p, sizeof p);
        return bytes;
    };
    for (const parameter& p : r.parameters) {
        const auto i = static_cast<std::size_t>(p.index);
        switch (p.what) {
            case parameter::kind::output: storage.push_back(pointer(outputs[i])); break;
            case parameter::kind::input: storage.push_back(pointer(inputs[i])); break;
            case parameter::kind::scalar: storage.push_back(bytes_of({all.scalars[i]}, k.scalar_types[i])); break;
            case parameter::kind::workspace: storage.push_back(pointer(workspace)); break;
            default: storage.push_back(integer(launch_value(k, s, p)));
        }
    }
    std::vector<void*> arguments;
    for (std::vector<char>& bytes : storage) arguments.push_back(bytes.data());
    for (int t = 0; t < times; ++t) {
        if (t > 0 && !is_in_place(k)) poison(device, k, all, outputs);
        device.launch(loaded[r.text], grid_size(k, s), s.block_threads, r.shared_bytes, arguments.data());
    }

    std::vector<std::vector<double>> results;
    for (std::size_t o = 0; o < k.outputs.size(); ++o) {
        std::vector<char> bytes(all.outputs[o].size() * size_of(k.outputs[o]));
        device.copy_to_host(bytes.data(), outputs[o], bytes.size());
        results.push_back(values_of(bytes, k.outputs[o]));
    }
    for (const auto& [p, bytes] : memory) device.deallocate(p, bytes);
    return results;
}

inline void expect_right(const loop_nest& k, const schedule& s, int times = 1) {
    SCOPED_TRACE(describe(s));
    arguments all = make_arguments(k, 7);
    const std::vector<std::vector<double>> results = run(k, s, all, times);
    interpreter(k, all.inputs, all.scalars, all.outputs).run();
    for (std::size_t o = 0; o < results.size(); ++o) {
        const double tolerance = !is_floating(k.outputs[o])        ? 0
                                 : is_float8(k.outputs[o])         ? 0.25
                                 : k.outputs[o] == dtype::bfloat16 ? 8e-3
                                 : k.outputs[o] == dtype::float16  ? 1e-3
                                 : k.outputs[o] == dtype::float32  ? 2e-5
                                                                   : 1e-12;
        for (std::size_t i = 0; i < results[o].size(); ++i)
            ASSERT_NEAR(results[o][i], all.outputs[o][i], tolerance * (1 + std::abs(all.outputs[o][i])))
                << "output " << o << ", element " << i;
    }
}

inline schedule chosen(const loop_nest& k, int multiprocessors = 4, int alignment = 16) {
    device_properties m;
    m.multiprocessors = multiprocessors;
    return choose_schedule(k, m, std::vector<int>(k.inputs.size() + k.outputs.size(), alignment));
}

inline schedule wide(schedule s) {
    s.wide_index = true;
    return s;
}

}  // namespace sinter::codegen::testing
