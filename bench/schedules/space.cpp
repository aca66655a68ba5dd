// Times every schedule in the search space of random kernels, to fit and to evaluate the cost model.
//
//     space [--measure] [--kernels N] [--compile SECONDS] [--seconds SECONDS]
//
// Prints one line per point: the kernel's number, its expression, its extents, the point's number, the time in
// microseconds (0 without --measure), the cost model's prediction, the schedule. Point 0 is choose_schedule's.
#include <codegen/cuda/source.hpp>
#include <codegen/ir/print.hpp>
#include <codegen/lower/launch_value.hpp>
#include <codegen/lower/workspace.hpp>
#include <codegen/schedule/cost.hpp>
#include <codegen/schedule/points.hpp>
#include <runtime/cache/image.hpp>
#include <runtime/devices/device.hpp>
#include <sinter/device.hpp>
#include <tests/codegen/random_kernels.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::codegen;

constexpr std::size_t pool_bytes = std::size_t{1} << 30;
constexpr double hopeless = 3e-3;  ///< seconds: no point of these kernels that is worth having takes as long
constexpr int max_inputs = 4, max_outputs = 2;
const std::string images = "/tmp/schedule_space";

struct case_of_space {
    loop_nest k;
    std::vector<schedule> points;
};

std::size_t bytes_reached(const loop_nest& k, int layout_position, dtype type) {
    return static_cast<std::size_t>(reach_of(k, layout_position).elements()) * size_of(type);
}

/// Whether its arrays fit the pool and it is worth measuring.
bool is_fit(const loop_nest& k) {
    if (k.inputs.size() > max_inputs || k.outputs.size() > max_outputs) return false;
    std::size_t largest = 0;
    for (const value& v : k.values)
        if (v.what == value_kind::load) largest = std::max(largest, bytes_reached(k, v.at, v.type));
    for (const kernel_store& s : k.stores)
        largest = std::max(largest, bytes_reached(k, s.at, k.outputs[static_cast<std::size_t>(s.output)]));
    return largest >= (1u << 17) && largest <= pool_bytes / 4;
}

std::vector<case_of_space> cases(int random_ones) {
    std::vector<case_of_space> all;
    const auto add = [&](const loop_nest& k) {
        all.push_back(
            {k, schedule_points(k, device_properties{}, std::vector<int>(k.inputs.size() + k.outputs.size(), 16))});
    };
    for (const codegen::testing::sample& s : codegen::testing::samples())
        if (!has_scans(s.small)) add(s.small);
    codegen::testing::random_kernels random(2026, 1 << 20);
    const auto extent = [&](double largest) {
        return static_cast<std::int64_t>(std::exp2(1 + (std::log2(largest) - 1) * random.below(10000) / 1e4));
    };
    for (int shapes = 0; shapes < 10; ++shapes) {
        const std::int64_t n = extent(1 << 14), m = extent(1 << 14);
        for (const loop_nest& k :
             {codegen::testing::norm_of_rows(n, m), codegen::testing::norm_of_columns(n, m),
              codegen::testing::softmax_of_rows(n, m), codegen::testing::standardised_columns(n, m),
              codegen::testing::norm_of_middle(extent(400), extent(400), extent(400)),
              codegen::testing::dot_and_max(extent(1 << 26)), codegen::testing::axpy_with_row(n, m),
              codegen::testing::running_sums_of_rows(n, m), codegen::testing::running_sums_of_columns(n, m)})
            if (is_fit(k)) add(k);
    }
    while (random_ones > 0) {
        const loop_nest k = random.below(3) == 0 ? random.elementwise() : random.groups(random.below(2) == 0);
        if (!is_fit(k)) continue;
        add(k);
        --random_ones;
    }
    return all;
}

std::string image_file(const std::string& source) {
    return images + "/" + std::to_string(std::hash<std::string>()(source));
}

/// Compiles in several processes: each compiles every n-th kernel's points.
void compile_all(const std::vector<case_of_space>& all, int processes, double seconds) {
    std::filesystem::create_directories(images);
    const auto start = std::chrono::steady_clock::now();
    for (int p = 0; p < processes; ++p) {
        if (fork() != 0) continue;
        std::mt19937 chance(1);
        for (const bool rest : {false, true})  // first the chosen schedule and a sample of the others
            for (std::size_t c = static_cast<std::size_t>(p); c < all.size(); c += static_cast<std::size_t>(processes))
                for (const schedule& s : all[c].points) {
                    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds)
                        _exit(0);
                    if (!rest && &s != &all[c].points[0] && chance() % 3 != 0) continue;
                    const std::string source = print_kernel(all[c].k, s, "").text;
                    if (std::filesystem::exists(image_file(source))) continue;
                    const std::string half = image_file(source) + "." + std::to_string(getpid());
                    std::ofstream(half, std::ios::binary) << compile_image(source, 90, {});
                    std::filesystem::rename(half, image_file(source));
                }
        _exit(0);
    }
    while (wait(nullptr) > 0) {
    }
}

class clock_of_points {
public:
    explicit clock_of_points(kernel_device& on) : device_(on) {
        std::vector<float> random(1 << 24);
        std::mt19937 bits(1);
        for (float& x : random) x = 0.5f + static_cast<float>(bits() >> 8) * (1.f / (1 << 24));
        for (int i = 0; i < max_inputs; ++i) inputs_.push_back(device_.allocate(pool_bytes));
        for (void* p : inputs_)
            for (std::size_t at = 0; at < pool_bytes; at += random.size() * 4)
                device_.copy_from_host(static_cast<char*>(p) + at, random.data(), random.size() * 4);
        for (int i = 0; i < max_outputs; ++i) outputs_.push_back(device_.allocate(pool_bytes));
        workspace_ = device_.allocate(pool_bytes);
    }

    /// Medians in microseconds of rounds that time all points alternately; 0 for a point that was not compiled.
    std::vector<double> times(const case_of_space& c) {
        std::vector<ready> all;
        for (const schedule& s : c.points) all.push_back(load(c.k, s));
        for (ready& r : all) {
            if (r.loaded == nullptr) continue;
            device_.fill_zero(workspace_, std::max<std::size_t>(workspace_bytes(c.k, r.s), 256));
            const double first = batch(r, 1);
            const double warm = first > hopeless ? first : batch(r, 2);
            r.launches = static_cast<int>(std::clamp(200e-6 / std::max(warm, 1e-6), 1.0, 50.0));
            if (warm > hopeless) r.seconds.push_back(warm);
        }
        for (int round = 0; round < 5; ++round)
            for (ready& r : all) {
                if (r.loaded == nullptr || (r.seconds.size() == 1 && r.seconds[0] > hopeless)) continue;
                device_.fill_zero(workspace_, std::max<std::size_t>(workspace_bytes(c.k, r.s), 256));
                batch(r, 1);
                r.seconds.push_back(batch(r, r.launches));
            }
        std::vector<double> medians;
        for (ready& r : all) {
            std::sort(r.seconds.begin(), r.seconds.end());
            medians.push_back(r.seconds.empty() ? 0 : r.seconds[r.seconds.size() / 2] * 1e6);
        }
        return medians;
    }

private:
    struct ready {
        schedule s;
        printed_kernel source;
        loaded_kernel* loaded = nullptr;
        std::int64_t grid = 0;
        std::vector<std::uint64_t> values;
        std::vector<void*> arguments;
        int launches = 1;
        std::vector<double> seconds;
    };

    ready load(const loop_nest& k, const schedule& s) {
        ready r;
        r.s = s;
        r.source = print_kernel(k, s, "");
        std::ifstream in(image_file(r.source.text), std::ios::binary);
        const std::string image{std::istreambuf_iterator<char>(in), {}};
        if (image.empty()) return r;
        r.loaded = device_.load(image, r.source.entry);
        r.grid = grid_size(k, s);
        for (const parameter& p : r.source.parameters) {
            const auto i = static_cast<std::size_t>(p.index);
            std::uint64_t v = 0;
            switch (p.what) {
                case parameter::kind::output: v = reinterpret_cast<std::uint64_t>(outputs_[i]); break;
                case parameter::kind::input: v = reinterpret_cast<std::uint64_t>(inputs_[i]); break;
                case parameter::kind::scalar:
                    v = k.scalar_types[i] == dtype::float64 ? 0x3ff8000000000000u : 0x3fc00000u;
                    break;
                case parameter::kind::workspace: v = reinterpret_cast<std::uint64_t>(workspace_); break;
                default: v = static_cast<std::uint64_t>(launch_value(k, s, p));
            }
            r.values.push_back(v);
        }
        return r;
    }

    double batch(ready& r, int launches) {
        r.arguments.clear();
        for (std::uint64_t& v : r.values) r.arguments.push_back(&v);
        const std::unique_ptr<time_mark> from(device_.mark());
        for (int i = 0; i < launches; ++i)
            device_.launch(r.loaded, r.grid, r.s.block_threads, r.source.shared_bytes, r.arguments.data());
        const std::unique_ptr<time_mark> to(device_.mark());
        return device_.seconds_between(*from, *to) / launches;
    }

    kernel_device& device_;
    std::vector<void*> inputs_, outputs_;
    void* workspace_ = nullptr;
};

void print(std::size_t number, const case_of_space& c, const std::vector<double>& microseconds) {
    std::string extents;
    for (std::int64_t n : c.k.extents) extents += (extents.empty() ? "" : "x") + std::to_string(n);
    const std::string expression = expression_text(c.k);
    for (std::size_t p = 0; p < c.points.size(); ++p) {
        const launch_work w = work_of(c.k, work_of(c.k), c.points[p], device_properties{});
        std::printf("%zu\t%s\t%s\t%zu\t%.3f\t%.3f\t%s", number, expression.c_str(), extents.c_str(), p,
                    microseconds.empty() ? 0.0 : microseconds[p], 1e6 * predicted_seconds(w, device_properties{}),
                    describe(c.points[p]).c_str());
        for (double n : {w.bytes, w.segment, w.requested, w.in_flight, w.instructions, w.lines, w.blocks, w.warps,
                         w.waves, w.steps, w.folds, w.barriers, w.syncs, w.functions, w.divisions, w.doubles})
            std::printf("\t%g", n);
        std::printf("\n");
    }
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    bool measures = false;
    int kernels = 200;
    double seconds = 150, compiling = 170;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--measure") == 0) measures = true;
        if (std::strcmp(argv[i], "--kernels") == 0) kernels = std::atoi(argv[++i]);
        if (std::strcmp(argv[i], "--compile") == 0) compiling = std::atof(argv[++i]);
        if (std::strcmp(argv[i], "--seconds") == 0) seconds = std::atof(argv[++i]);
    }
    const std::vector<case_of_space> all = cases(kernels);
    if (!measures) {
        for (std::size_t c = 0; c < all.size(); ++c) print(c, all[c], {});
        return 0;
    }
    compile_all(all, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)), compiling);
    const auto start = std::chrono::steady_clock::now();
    const sinter::device gpu = cuda(0);
    clock_of_points clock(dynamic_cast<kernel_device&>(gpu.get()));
    for (std::size_t c = 0; c < all.size(); ++c) {
        if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > seconds) break;
        print(c, all[c], clock.times(all[c]));
    }
    return 0;
}
