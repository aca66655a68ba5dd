// Times every tile of some products on tensor cores beside the predicted time, to fit the cost model of
// codegen/schedule/tensor_cost.cpp, and compares some of their results with sums in double.
//
//     tiles --compile FOLDER      compiles all kernels to files, which needs no GPU
//     tiles FOLDER [WORD...]      times those that were compiled, of the products whose names begin with a word
//
// Factors are read from several arrays in turn, which together exceed the caches, or from one: two columns of
// microseconds. Then the prediction, the largest error in steps of the result's dtype, and the schedule.
#include <codegen/cuda/source.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/workspace.hpp>
#include <codegen/schedule/tensor.hpp>
#include <runtime/cache/image.hpp>
#include <runtime/devices/device.hpp>
#include <sinter/device.hpp>
#include <tests/codegen/kernel_builder.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::codegen;
using codegen::testing::kernel_builder;

constexpr std::int64_t turned_bytes = std::int64_t{256} << 20;
constexpr int samples = 64, rounds = 7;

struct product {
    std::string name;
    std::int64_t layers = 1, rows = 0, columns = 0, steps = 0;
    dtype x = dtype::float16, y = dtype::float16, result = dtype::float16;
    bool y_along_steps = false, y_shared = false;
    bool scales = false;  ///< y by a float16 number per column, rounded
    bool gelu = false;    ///< of the sum and a number of the column
};

std::vector<product> products() {
    std::vector<product> all;
    for (const std::int64_t rows : {8, 16, 32, 64})
        for (const bool along : {false, true}) {
            product thin{along ? "thin_transposed" : "thin", 1, rows, 4096, 4096};
            thin.y = dtype::int8;
            thin.y_along_steps = along;
            thin.scales = true;
            all.push_back(thin);
        }
    for (const bool gelu : {false, true})
        for (const bool shared : {false, true}) {
            product batch{gelu ? "batch_gelu" : "batch", 16, 1024, 1024, 1024};
            batch.gelu = gelu;
            batch.y_shared = shared;
            all.push_back(batch);
            batch.layers = 8;
            batch.rows = batch.columns = batch.steps = 2048;
            all.push_back(batch);
        }
    for (const std::int64_t n : {1024, 2048, 4096, 8192}) {
        product bytes{"float8", 1, n, n, n, dtype::float8_e4m3, dtype::float8_e4m3, dtype::bfloat16};
        bytes.y_along_steps = true;
        all.push_back(bytes);
    }
    product mixed{"float8_gelu", 1, 4096, 4096, 4096, dtype::float8_e5m2, dtype::float8_e4m3, dtype::bfloat16};
    mixed.y_along_steps = mixed.gelu = true;
    all.push_back(mixed);
    product halves{"gelu", 1, 4096, 4096, 4096};
    halves.gelu = true;
    all.push_back(halves);
    return all;
}

loop_nest nest_of(const product& of) {
    kernel_builder b;
    const int h = of.layers > 1 ? b.outer(of.layers) : -1, i = b.outer(of.rows), j = b.outer(of.columns);
    const int l = b.loop({of.steps}), k = b.inner(l);
    const auto in_layers = [&](kernel_builder::strides at, std::int64_t stride) {
        if (h >= 0 && stride > 0) at.insert(at.begin(), {h, stride});
        return at;
    };
    const auto factor = [&](dtype type, const kernel_builder::strides& at) {
        const int load = b.load(b.input(type), at, l);
        return is_half(type) ? load : b.cast(dtype::float16, load, l);
    };
    const int x = factor(of.x, in_layers({{i, of.steps}, {k, 1}}, of.rows * of.steps));
    const kernel_builder::strides along{{j, of.steps}, {k, 1}}, across{{k, of.columns}, {j, 1}};
    int y = factor(of.y, in_layers(of.y_along_steps ? along : across, of.y_shared ? 0 : of.columns * of.steps));
    if (of.scales) {
        const int scale = b.cast(dtype::float32, b.load(b.input(dtype::float16), {{j, 1}}));
        y = b.cast(dtype::float16, b.op("multiply", {b.cast(dtype::float32, y, l), scale}, l), l);
    }
    const int each = b.op("multiply", {b.cast(dtype::float32, x, l), b.cast(dtype::float32, y, l)}, l);
    int sum = b.reduce("sum", each, l);
    if (of.gelu) {
        sum = b.op("add", {sum, b.cast(dtype::float32, b.load(b.input(of.result), {{j, 1}}))});
        const int normal = b.op("erfc", {b.op("multiply", {sum, b.constant(-0.70710678f)})});
        sum = b.op("multiply", {b.op("multiply", {sum, b.constant(0.5f)}), normal});
    }
    b.store(b.cast(of.result, sum), in_layers({{i, of.columns}, {j, 1}}, of.rows * of.columns));
    b.k.precision = of.result == dtype::float16 ? arithmetic::half_flushed : arithmetic::exact;
    return b.k;
}

std::vector<schedule> tiles(const loop_nest& k) { return tensor_candidates(k, device_properties{}, aligned(k)); }

std::string image_file(const std::string& folder, const std::string& source) {
    return folder + "/" + std::to_string(std::hash<std::string>()(source));
}

void compile_all(const std::string& folder) {
    std::filesystem::create_directories(folder);
    for (const product& of : products()) {
        const loop_nest k = nest_of(of);
        for (const schedule& s : tiles(k)) {
            const std::string source = print_kernel(k, s, "").text, file = image_file(folder, source);
            if (!std::filesystem::exists(file)) std::ofstream(file, std::ios::binary) << compile_image(source, 90, {});
        }
    }
}

/// Number `i` of array `seed`, in [-1, 1): what fits every dtype here, of int8 its multiples of 1 / 128.
double number(std::uint32_t seed, std::int64_t i) {
    std::uint64_t bits = (static_cast<std::uint64_t>(i) + 1) * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 31) * 0x94d049bb133111ebu;
    return static_cast<double>(static_cast<std::int8_t>(bits >> 56)) / 128;
}

template <class F>
auto with_type(dtype type, F f) {
    switch (type) {
        case dtype::int8: return f(std::int8_t{});
        case dtype::float8_e4m3: return f(float8_e4m3{});
        case dtype::float8_e5m2: return f(float8_e5m2{});
        case dtype::bfloat16: return f(bfloat16{});
        default: return f(float16{});
    }
}

/// As the array has it.
double stored(dtype type, std::uint32_t seed, std::int64_t i) {
    const double x = number(seed, i);
    if (type == dtype::int8) return x * 128;
    return with_type(
        type, [&](auto t) { return static_cast<double>(static_cast<float>(decltype(t)(static_cast<float>(x)))); });
}

class clock_of_tiles {
public:
    clock_of_tiles(kernel_device& on, product wanted) : device_(on), of_(std::move(wanted)), k_(nest_of(of_)) {
        const std::int64_t of_x = of_.layers * of_.rows * of_.steps;
        const std::int64_t of_y = (of_.y_shared ? 1 : of_.layers) * of_.columns * of_.steps;
        const auto bytes =
            static_cast<std::int64_t>(size_of(of_.x)) * of_x + static_cast<std::int64_t>(size_of(of_.y)) * of_y;
        copies_ = static_cast<int>(std::clamp<std::int64_t>(turned_bytes / bytes, 1, 24));
        fill(of_.x, 0, of_x);
        fill(of_.y, 1, of_y);
        if (of_.scales || of_.gelu) fill(of_.scales ? dtype::float16 : of_.result, 2, of_.columns);
        output_bytes_ = static_cast<std::size_t>(of_.layers * of_.rows * of_.columns) * size_of(of_.result);
        output_ = device_.allocate(output_bytes_);
    }
    ~clock_of_tiles() {
        for (auto& [p, bytes] : memory_) device_.deallocate(p, bytes, {});
        device_.deallocate(output_, output_bytes_, {});
    }
    clock_of_tiles(const clock_of_tiles&) = delete;
    clock_of_tiles& operator=(const clock_of_tiles&) = delete;

    void time(const std::string& folder) {
        for (const schedule& s : tiles(k_)) {
            const printed_kernel source = print_kernel(k_, s, "");
            std::ifstream in(image_file(folder, source.text), std::ios::binary);
            const std::string image{std::istreambuf_iterator<char>(in), {}};
            if (image.empty()) continue;
            time(s, source, device_.load(image, source.entry));
        }
    }

private:
    void fill(dtype type, std::uint32_t seed, std::int64_t size) {
        const std::size_t bytes = static_cast<std::size_t>(size) * size_of(type);
        std::vector<char> all(bytes);
        with_type(type, [&](auto t) {
            for (std::int64_t i = 0; i < size; ++i) {
                t = decltype(t)(static_cast<float>(stored(type, seed, i)));
                std::memcpy(all.data() + static_cast<std::size_t>(i) * sizeof t, &t, sizeof t);
            }
        });
        inputs_.emplace_back();
        for (int copy = 0; copy < (seed < 2 ? copies_ : 1); ++copy) {
            inputs_.back().push_back(device_.allocate(bytes));
            memory_.emplace_back(inputs_.back().back(), bytes);
            device_.copy_from_host(inputs_.back().back(), all.data(), bytes);
        }
    }

    void launch(const schedule& s, const printed_kernel& source, loaded_kernel* loaded, int copy) {
        std::vector<std::uint64_t> values;
        for (const parameter& p : source.parameters) {
            const auto i = static_cast<std::size_t>(p.index);
            if (p.what == parameter::kind::output)
                values.push_back(reinterpret_cast<std::uint64_t>(output_));
            else if (p.what == parameter::kind::input)
                values.push_back(
                    reinterpret_cast<std::uint64_t>(inputs_[i][static_cast<std::size_t>(copy) % inputs_[i].size()]));
            else if (p.what == parameter::kind::workspace)
                values.push_back(reinterpret_cast<std::uint64_t>(workspace_));
            else
                values.push_back(static_cast<std::uint64_t>(launch_value(k_, s, p)));
        }
        std::vector<void*> arguments;
        for (std::uint64_t& v : values) arguments.push_back(&v);
        device_.launch(loaded, grid_size(k_, s), s.block_threads, source.shared_bytes, arguments.data());
    }

    double batch(const schedule& s, const printed_kernel& source, loaded_kernel* loaded, int launches, bool in_turn) {
        const std::unique_ptr<time_mark> from(device_.mark());
        for (int i = 0; i < launches; ++i) launch(s, source, loaded, in_turn ? i : 0);
        const std::unique_ptr<time_mark> to(device_.mark());
        return device_.seconds_between(*from, *to) / launches;
    }

    double expected(std::int64_t layer, std::int64_t i, std::int64_t j) const {
        const std::int64_t n = of_.columns, m = of_.rows, d = of_.steps;
        double sum = 0;
        for (std::int64_t k = 0; k < d; ++k) {
            const std::int64_t at = (of_.y_along_steps ? j * d + k : k * n + j) + (of_.y_shared ? 0 : layer * n * d);
            double y = stored(of_.y, 1, at);
            if (of_.scales) y = static_cast<float>(float16(static_cast<float>(y * stored(dtype::float16, 2, j))));
            sum += stored(of_.x, 0, (layer * m + i) * d + k) * y;
        }
        if (of_.gelu) sum += stored(of_.result, 2, j);
        return of_.gelu ? 0.5 * sum * std::erfc(-sum * std::sqrt(0.5)) : sum;
    }

    /// In steps of the result's dtype at 1, of the result or 1.
    double error() {
        const std::size_t size = size_of(of_.result);
        std::vector<char> all(output_bytes_);
        device_.copy_to_host(all.data(), output_, output_bytes_);
        double most = 0;
        for (int n = 0; n < samples; ++n) {
            const std::int64_t layer = n % of_.layers, i = n * 7919 % of_.rows, j = n * 104729 % of_.columns;
            const auto at = static_cast<std::size_t>((layer * of_.rows + i) * of_.columns + j);
            const double got = with_type(of_.result, [&](auto t) {
                std::memcpy(&t, all.data() + at * size, size);
                return static_cast<double>(static_cast<float>(t));
            });
            const double right = expected(layer, i, j), step = of_.result == dtype::float16 ? 0x1p-10 : 0x1p-7;
            most = std::max(most, std::abs(got - right) / (step * std::max(1.0, std::abs(right))));
        }
        return most;
    }

    void time(const schedule& s, const printed_kernel& source, loaded_kernel* loaded) {
        const std::size_t bytes = std::max<std::size_t>(workspace_bytes(k_, s), 256);
        workspace_ = device_.allocate(bytes);
        device_.fill_zero(workspace_, bytes);
        batch(s, source, loaded, 2, false);
        const double wrong = error(), once = batch(s, source, loaded, 2, true);
        const int launches = static_cast<int>(std::clamp(400e-6 / once, 2.0, 48.0));
        std::vector<double> cold, warm;
        for (int round = 0; round < rounds; ++round) {
            cold.push_back(batch(s, source, loaded, launches, true));
            warm.push_back(batch(s, source, loaded, launches, false));
        }
        std::sort(cold.begin(), cold.end());
        std::sort(warm.begin(), warm.end());
        std::printf("%s\t%lldx%lldx%lldx%lld%s\t%.2f\t%.2f\t%.2f\t%.2g\t%s\n", of_.name.c_str(),
                    static_cast<long long>(of_.layers), static_cast<long long>(of_.rows),
                    static_cast<long long>(of_.columns), static_cast<long long>(of_.steps), of_.y_shared ? "s" : "",
                    1e6 * cold[rounds / 2], 1e6 * warm[rounds / 2], 1e6 * tensor_seconds(k_, s, device_properties{}),
                    wrong, describe(s).c_str());
        std::fflush(stdout);
        device_.deallocate(workspace_, bytes, {});
    }

    kernel_device& device_;
    const product of_;
    const loop_nest k_;
    int copies_ = 1;
    std::vector<std::vector<void*>> inputs_;
    std::vector<std::pair<void*, std::size_t>> memory_;
    void *output_ = nullptr, *workspace_ = nullptr;
    std::size_t output_bytes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) return 2;
    if (std::strcmp(argv[1], "--compile") == 0 && argc > 2) {
        compile_all(argv[2]);
        return 0;
    }
    const sinter::device gpu = cuda(0);
    for (const product& of : products()) {
        const auto has = [&](const char* word) { return of.name.rfind(word, 0) == 0; };
        if (argc > 2 && std::none_of(argv + 2, argv + argc, has)) continue;
        clock_of_tiles(dynamic_cast<kernel_device&>(gpu.get()), of).time(argv[1]);
    }
    return 0;
}
