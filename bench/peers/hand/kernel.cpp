// Compiles, loads and launches the hand-written kernels.
#include <bench/peers/hand/kernel.hpp>

#include <bench/measure/hold.hpp>
#include <bench/measure/trial.hpp>
#include <runtime/nvrtc/nvrtc.hpp>
#include <sinter.hpp>

#include <fstream>
#include <map>
#include <sstream>

namespace bench {

std::string device_description() { return sinter::cuda().description(); }

namespace {

std::string text_of(const std::string& file) {
    const std::string path = std::string(BENCH_HAND_FOLDER) + "/" + file;
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in || text.str().empty())
        throw sinter::error("cannot read " + path + ": run the benchmark from the checkout it was built in");
    return text.str();
}

CUmodule module_of(const std::string& text) {
    const cuda& c = cuda::get();
    const auto compiled = sinter::codegen::compile_cuda(text, c.arch);
    CUmodule m = nullptr;
    c.check(c.driver.module_load_data(&m, compiled.image.data()), "loading a kernel");
    return m;
}

CUmodule module_of_file(const std::string& file) {
    static std::map<std::string, CUmodule> modules;
    const auto found = modules.find(file);
    if (found != modules.end()) return found->second;
    return modules[file] = module_of(text_of("common.cuh") + text_of(file));
}

}  // namespace

cuda& cuda::get() {
    static cuda* const only = [] {
        sinter::synchronize();  // makes the device's context current
        const auto* d = sinter::codegen::cuda_driver();
        if (d == nullptr) throw sinter::error(sinter::codegen::cuda_driver_missing());
        auto* c = new cuda{*d};
        int major = 0, minor = 0;
        c->check(d->device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), "asking the device");
        c->check(d->device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), "asking the device");
        c->arch = 10 * major + minor;
        CUcontext context = nullptr;
        c->check(d->primary_ctx_retain(&context, 0), "starting the device");
        c->check(d->ctx_set_current(context), "starting the device");
        c->check(d->stream_create(&c->stream, CU_STREAM_NON_BLOCKING, 0), "making a stream");
        return c;
    }();
    return *only;
}

void cuda::check(CUresult r, const char* what) const {
    if (r != CUDA_SUCCESS) throw sinter::error(std::string(what) + ": " + sinter::codegen::describe(driver, r));
}

kernel::kernel(const char* file, const std::string& name) {
    const cuda& c = cuda::get();
    c.check(c.driver.module_get_function(&function_, module_of_file(file), name.c_str()), name.c_str());
    c.check(c.driver.func_get_attribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function_), "asking a kernel");
    c.check(c.driver.func_get_attribute(&spilled_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, function_),
            "asking a kernel");
    int cluster = 0;
    if (c.arch >= 90) {
        c.check(c.driver.func_get_attribute(&cluster, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH, function_),
                "asking a kernel");
        if (cluster > 8)
            c.check(c.driver.func_set_attribute(function_, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
                    "asking for a cluster of more than 8 blocks");
    }
}

void kernel::launch(const geometry& g, void** arguments) const {
    const cuda& c = cuda::get();
    if (g.shared_bytes > 48 * 1024)
        c.check(c.driver.func_set_attribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, g.shared_bytes),
                "asking for shared memory");
    const CUresult r =
        c.driver.launch_kernel(function_, static_cast<unsigned>(g.grid), 1, 1, static_cast<unsigned>(g.block), 1, 1,
                               static_cast<unsigned>(g.shared_bytes), c.stream, arguments, nullptr);
    c.check(r, "launching");
}

stream_clock::mark_t::mark_t() {
    const cuda& c = cuda::get();
    c.check(c.driver.event_create(&event, CU_EVENT_DEFAULT), "making an event");
    c.check(c.driver.event_record(event, c.stream), "recording an event");
}
stream_clock::mark_t::~mark_t() { cuda::get().driver.event_destroy(event); }

double stream_clock::seconds(const mark_t& from, const mark_t& to) const {
    const cuda& c = cuda::get();
    c.check(c.driver.event_synchronize(to.event), "waiting");
    float ms = 0;
    c.check(c.driver.event_elapsed_time(&ms, from.event, to.event), "reading an event");
    return ms * 1e-3;
}

void stream_clock::synchronize() const {
    sinter::synchronize();
    const cuda& c = cuda::get();
    c.check(c.driver.stream_synchronize(c.stream), "waiting");
}

bool stream_clock::hold(double seconds) const {
    const cuda& c = cuda::get();
    static const CUfunction spin = [&] {
        CUfunction f = nullptr;
        c.check(c.driver.module_get_function(&f, module_of(hold_text), hold_name), hold_name);
        return f;
    }();
    auto nanoseconds = static_cast<long long>(seconds * 1e9);
    void* arguments[] = {&nanoseconds};
    c.check(c.driver.launch_kernel(spin, 1, 1, 1, 1, 1, 1, 0, c.stream, arguments, nullptr), "launching");
    return true;
}

}  // namespace bench
