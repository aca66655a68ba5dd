// CuPy's layer over CUDA and Sinter's. Sinter's column is compiled here and not run: a part of it needs a GPU, files or
// a tensor of another library. CuPy's column follows its documentation.
#include <sinter/dlpack.hpp>
#include <sinter/memory.hpp>

#include "show.hpp"

#include <vector>

using namespace sinter;

// The cells are shown as they are: what they declare is not used, what they return is dropped.
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-result"
#pragma GCC diagnostic ignored "-Wunused-value"

/// CuPy's code, as text, and Sinter's, which is not run.
#define SAME(cupy, ...)                                \
    std::printf("> %s\n> %s\n\n", cupy, #__VA_ARGS__); \
    if (never) {                                       \
        __VA_ARGS__;                                   \
    }

int main(int, char** arguments) {
    const bool never = arguments == nullptr;
    const std::vector<float> v = {1, 2, 3, 4, 5, 6};
    const std::int64_t n = 2, m = 3;
    const array<float, 2> x({n, m});
    array<float, 2> y({n, m});
    const auto e = x * 2;
    const char *const path = "x.npy", *const source = "", *const name = "";
    DLManagedTensorVersioned* const tensor = nullptr;
    stream q, p;
    const event start(q), done(q);

    SECTION(cupy);
    SAME("x = cp.asarray(a)", array<float, 2> a = from_host(v, {n, m}));
    SAME("cp.asnumpy(x)", std::vector<float> back = to_host(x));
    SAME("x.sum().item()", float s = item(sum(x)));
    SAME("with cp.cuda.Device(1): ...", device_scope on(cuda(1)));
    SAME("with cp.cuda.Stream() as q: ...", stream_scope on(q));
    SAME("q.synchronize()", synchronize(q));
    SAME("done = q.record()", event end_of(q));
    SAME("p.wait_event(done)", p.wait(done));
    SAME("cp.cuda.get_elapsed_time(start, done)", done.seconds_since(start));
    SAME("q.begin_capture(); ...; g = q.end_capture(); g.launch()", graph g = capture([&] { y = e; }); g.launch());
    SAME("cp.ElementwiseKernel('T x, T y', 'T z', 'z = x * x + y', 'f')(x, y)", y = custom<float>("x * x + y", x, y));
    SAME("cp.ReductionKernel('T x', 'T y', 'x', 'max(a, b)', 'y = a', '0', 'f')(x)",
         float greatest = item(custom_reduce<float>("x > y ? x : y", "T(0)", x)));
    SAME("cp.RawKernel(source, name)((n,), (256,), (y, cp.float32(2)))", raw_kernel k(source, name);
         k(grid{unsigned(n)}, block{256}, 0, y, 2.f));
    SAME("cp.get_default_memory_pool().set_limit(size=2**30)", memory_pool pool; pool.set_limit(1 << 30));
    SAME("cp.from_dlpack(t)", y = from_dlpack<float, 2>(tensor));
    SAME("x.toDlpack()", to_dlpack(x));
    SAME("cp.load(path)", y = load_npy<float, 2>(path));
    SAME("cp.save(path, x)", save_npy(path, x));
    SAME("cp.savez(path, x=x)", save_npz(path, {{"x", x}}));
    SAME("cupyx.profiler.benchmark(f)", explain(e).text());
    SAME("cp.show_config()", current_device().description());
}
