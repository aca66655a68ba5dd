// Which device, and as which machine.
#include <tests/fuzz/bench.hpp>

#include <runtime/cuda/cuda_device.hpp>
#include <runtime/host/host_device.hpp>
#include <tests/emulate/block_runner.hpp>

#include <algorithm>
#include <iterator>

namespace sinter::fuzz {
namespace {

/// Few multiprocessors, so that few elements fill them: schedules change with how many groups there are for each.
struct size {
    int multiprocessors, threads;
};
constexpr size machines[] = {{4, 1024}, {1, 1024}, {2, 2048}, {11, 1536}, {22, 1024}};
static_assert(std::ranges::all_of(machines, [](size m) {
    return m.multiprocessors * m.threads <= emulate::max_waiting_threads;
}));

/// `m` with the size of a case's machine.
codegen::device_properties resized(codegen::device_properties m, int index) {
    m.multiprocessors = std::min(m.multiprocessors, machines[index].multiprocessors);
    m.threads_per_multiprocessor = std::min(m.threads_per_multiprocessor, machines[index].threads);
    m.l2_bytes = emulate::small_machine().l2_bytes;
    m.bytes_per_second = emulate::small_machine().bytes_per_second;  // else launches decide, as no array is large
    return m;
}

codegen::device_properties machine_at(int index) {
    codegen::device_properties m = emulate::small_machine();
    m.multiprocessors = machines[index].multiprocessors;
    m.threads_per_multiprocessor = machines[index].threads;
    return m;
}

}  // namespace

int machine_count() { return static_cast<int>(std::size(machines)); }

bench::bench(const std::string& name, bool small) {
    if (name == "emulated") collecting_ = std::make_unique<collecting_device>();
    if (name == "cuda" && small) pretended_ = std::make_unique<pretended_device>(codegen::cuda_device_at(0));
    where_ = collecting_      ? static_cast<codegen::device*>(collecting_.get())
             : pretended_     ? static_cast<codegen::device*>(pretended_.get())
             : name == "cuda" ? static_cast<codegen::device*>(&codegen::cuda_device_at(0))
                              : &codegen::host_device_instance();
}

void bench::set_up(const fuzz_case& c) {
    if (pretended_) pretended_->set_machine(resized(codegen::cuda_device_at(0).properties(), c.device_properties));
    if (!collecting_) return;
    collecting_->set_machine(machine_at(c.device_properties));
    collecting_->set_order(c.reversed ? emulate::run_order::reverse : emulate::run_order::forward);
}

outcome bench::prepare(const fuzz_case& c, placed_case& p) {
    set_up(c);
    return collecting_ ? p.prepare() : outcome{};
}

void bench::compile() {
    if (collecting_) collecting_->compile_collected();
}

outcome bench::check(const fuzz_case& c, placed_case& p) {
    set_up(c);
    return p.check();
}

void bench::count(const fuzz_case& c, placed_case& p, coverage& into) {
    set_up(c);
    count_graph(c, into);
    p.count(into);
}

outcome bench::evaluate(const fuzz_case& c) {
    const std::vector<node_values> expected = results_of(c, evaluate_all(c));
    placed_case p(c, expected, where());
    if (outcome o = prepare(c, p); o.what != verdict::right) return o;
    compile();
    return check(c, p);
}

}  // namespace sinter::fuzz
