// Examples of what says how, where and when expressions run.
#include "show.hpp"

#include <sinter/cancel.hpp>
#include <sinter/debug.hpp>
#include <sinter/memory.hpp>

using namespace sinter;

int main() {
    SECTION(operands);
    DO(array<float, 2> x = {{1, 2, 3}, {4, 5, 6}});

    SECTION(pack, tie);
    DO(array<float, 1> m, top);
    DO(tie(m, top) = pack(mean(x, axis=1), max(x, axis=1)));
    SHOW(m);
    SHOW(top);
    DO(array<float, 2> z = x);
    DO(float total);
    DO(tie(z(0), z(1), total) = pack(z(1), z(0), sum(z)));
    SHOW(z);
    SHOW(total);
    DO(auto [low, high] = pack(min(x, axis=1), max(x, axis=1)));
    SHOW(high - low);
    SHOW(to_string(pack(sum(x), x + 1)));
    SECTION(explain);
    DO(explanation e = explain(sqrt(sum(x * x, axis=1))));
    SHOW(e.tree);
    SHOW(e.launches);
    SHOW(e.operations);
    SHOW(explain(sum(x), max(x)).launches);
    SECTION(source);
    DO(std::string text = source(x + 1));
    SHOW(text.find("__global__") != std::string::npos);
    SECTION(launches);
    DO(auto normalised = x / sum(x, axis=1_c, keepdims));
    SHOW(launches<decltype(normalised)>);
    SECTION(fusion, current_fusion, fusion_scope);
    DO(fusion_scope off(fusion::off));
    SHOW(current_fusion() == fusion::off);
    SHOW(explain(exp(x) + 1).launches);
    SECTION(fast_math_scope, current_fast_math);
    DO(fast_math_scope fast);
    SHOW(current_fast_math());
    SECTION(tuning_scope, current_tuning);
    DO(tuning_scope tuned);
    SHOW(current_tuning());
    SECTION(warm_up);
    DO(warm_up(exp(x), sum(x)));

    SECTION(device, host, current_device, cuda_count);
    DO(device here = current_device());
    SHOW(here.name());
    SHOW(here.is_host());
    SHOW(cuda_count() >= 0);
    SECTION(cuda, device_scope);
    DO(device_scope on(cuda_count() > 0 ? cuda(0) : host()));
    DO(array<float, 2> y = x.to(current_device()));
    SHOW(y);
    SECTION(memory_pool, memory_allocator, out_of_memory);
    DO(memory_pool memory(host()));
    SHOW(memory.used_bytes() <= memory.peak_bytes());
    DO(memory.free_all_blocks());
    SHOW(memory.free_bytes());
    DO(memory.set_limit(memory.used_bytes() + 1000000));
    FAILS((array<float, 1>(full({1000000}, 1.f))));
    DO(memory.set_limit(0));
    SECTION(cancel_scope, cancelled);
    DO(std::stop_source source);
    DO({
        cancel_scope scope(source.get_token());
        y = x + 1;
    });
    SHOW(y);
    DO(source.request_stop());
    FAILS([&] {
        cancel_scope scope(source.get_token());
        y = x * 2;
    }());
    SHOW(y);
    SECTION(stream, synchronize, stream_scope);
    DO(stream q);
    DO(y.on(q) = x * 2);
    DO(synchronize(q));
    SHOW(y);
    DO({
        stream_scope also(q);
        y = x * 3;
    });
    DO(synchronize());
    SHOW(y);
    SECTION(native_handle);
    SHOW(native_handle(q) == nullptr);
    SECTION(event);
    DO(event done(q));
    DO(q.wait(done));
    SECTION(host_copy);
    DO(auto copying = to_host(q, y));
    SHOW(copying.wait()[1]);
    SECTION(graph, capture);
    DO(graph step = capture([&] { y += 1; }));
    DO(step.launch());
    DO(step.launch());
    SHOW(y);
    SECTION(error);
    FAILS(x + (array<float, 2>({3, 2})));
    SECTION(set_warning_handler);
    DO(warning_handler before = set_warning_handler([](const char* line) { std::printf("log: %s\n", line); }));
    SHOW(before != nullptr);
    DO(set_warning_handler(before));

    SECTION(debug_checks, debug_scope, current_debug);
    DO(debug_scope checked({.nan = true, .bounds = true}));
    SHOW(current_debug().sync);
    DO(array<float, 2> roots = x);
    FAILS(roots = sqrt(log(x - 2)));
    FAILS(roots = take(x, array<int, 1>{0, 3}, axis=1));
    SHOW(roots);
}
