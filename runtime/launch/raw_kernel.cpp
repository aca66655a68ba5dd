// Launches of users' own kernels: compiles and loads the source once per device, and makes checks that CUDA lacks.
#include <runtime/cache/embedded.hpp>
#include <runtime/cache/kernels.hpp>
#include <runtime/devices/device.hpp>
#include <runtime/launch/named_launch.hpp>
#include <runtime/memory/copy.hpp>
#include <runtime/order/order.hpp>
#include <sinter/raw_kernel.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <mutex>
#include <utility>
#include <vector>

namespace sinter::detail {

/// A source and the kernels compiled from it, one per device.
class raw_text {
public:
    raw_text(std::string source, std::string name, std::vector<std::string> options)
        : source_(std::move(source)),
          name_(std::move(name)),
          options_{std::move(options), fmt::format("raw_kernel '{}'", name_)} {}

    const std::string& title() const { return options_.author; }

    codegen::loaded_kernel* on(codegen::kernel_device& where) {
        const std::lock_guard lock(mutex_);
        for (const auto& [id, kernel] : kernels_)
            if (id == where.id) return kernel;
        if (source_.find(name_) == std::string::npos)
            throw error(fmt::format("{}: its source has no function of that name", title()));
        const std::string key = fmt::format("raw {} {} {}", name_, fmt::join(options_.flags, " "), source_);
        codegen::loaded_kernel* const kernel = load(where, key);
        kernels_.emplace_back(where.id, kernel);
        return kernel;
    }

    /// In a run that records kernels: compiles the kernels that GPUs would run.
    void record() const {
        if (codegen::wanted_record().file.empty()) return;
        for (const int arch : codegen::wanted_record().archs) codegen::record_kernel(arch, name_, source_, options_);
    }

private:
    codegen::loaded_kernel* load(codegen::kernel_device& where, const std::string& key) const try {
        const auto make = [this] { return codegen::printed_kernel{source_, name_, {}}; };
        return codegen::get_kernel(where, {key, make, options_}).loaded;
    } catch (const error& e) {
        // Without extern "C" the compiler mangles the kernel's name.
        if (source_.find("extern \"C\"") != std::string::npos) throw;
        throw error(fmt::format("{}: declare it extern \"C\", so that it is found by its name; {}", title(), e.what()));
    }

    const std::string source_, name_;
    const codegen::compile_options options_;
    std::mutex mutex_;
    std::vector<std::pair<std::uint64_t, codegen::loaded_kernel*>> kernels_;  ///< by the device's id
};

namespace {

codegen::device& device_of(const raw_text& text, const raw_argument* arguments, std::size_t count) {
    codegen::device* where = nullptr;
    for (std::size_t i = 0; i < count; ++i) {
        if (arguments[i].array == nullptr || !*arguments[i].array) continue;  // an array without elements has none
        codegen::device* const other = (*arguments[i].array)->where;
        if (where != nullptr && other != where)
            throw error(fmt::format("{}: the arrays are on two devices, {} and {}; move one with x.to(device)",
                                    text.title(), where->name(), other->name()));
        where = other;
    }
    return where != nullptr ? *where : current_device().get();
}

/// The limits of every CUDA device (CUDA C++ Programming Guide, technical specifications per compute capability).
void check_shape(const raw_text& text, const grid& g, const block& b, std::int64_t shared_bytes) {
    constexpr std::int64_t max_x = 2147483647, max_yz = 65535, max_threads = 1024, max_deep = 64;
    const auto within = [](std::int64_t n, std::int64_t least, std::int64_t most) { return n >= least && n <= most; };
    if (!within(g.x, 0, max_x) || !within(g.y, 0, max_yz) || !within(g.z, 0, max_yz))
        throw error(fmt::format("{}: a grid of {} x {} x {} blocks; at most {} x {} x {} can be launched", text.title(),
                                g.x, g.y, g.z, max_x, max_yz, max_yz));
    if (!within(b.x, 1, max_threads) || !within(b.y, 1, max_threads) || !within(b.z, 1, max_deep) ||
        b.x * b.y * b.z > max_threads)
        throw error(fmt::format("{}: a block of {} x {} x {} threads; it has 1 to {} in all, and at most {} along z",
                                text.title(), b.x, b.y, b.z, max_threads, max_deep));
    if (!within(shared_bytes, 0, 1 << 30))
        throw error(
            fmt::format("{}: {} bytes of shared memory; give the bytes a block uses", text.title(), shared_bytes));
}

void check_arguments(const raw_text& text, const codegen::loaded_kernel& kernel, const raw_argument* arguments,
                     std::size_t count) {
    if (!kernel.parameters_known) return;
    if (kernel.parameter_bytes.size() != count)
        throw error(
            fmt::format("{}: {} arguments for {} parameters", text.title(), count, kernel.parameter_bytes.size()));
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t bytes = arguments[i].array != nullptr ? sizeof(void*) : arguments[i].bytes;
        if (bytes != kernel.parameter_bytes[i])
            throw error(fmt::format("{}: argument {} has {} bytes and the kernel's parameter {}; pass exactly its type",
                                    text.title(), i + 1, bytes, kernel.parameter_bytes[i]));
    }
}

}  // namespace

std::shared_ptr<raw_text> make_raw_text(std::string source, std::string name, std::vector<std::string> options) {
    return std::make_shared<raw_text>(std::move(source), std::move(name), std::move(options));
}

void launch_raw(raw_text& text, const grid& g, const block& b, std::int64_t shared_bytes, const raw_argument* arguments,
                std::size_t count) {
    check_shape(text, g, b, shared_bytes);
    codegen::device& device = device_of(text, arguments, count);
    if (device.is_host()) text.record();
    if (device.is_host())
        throw error(fmt::format(
            "{}: the host does not run CUDA source; use a GPU, for example by device_scope on(cuda())", text.title()));
    auto& where = static_cast<codegen::kernel_device&>(device);
    codegen::loaded_kernel* const kernel = text.on(where);
    check_arguments(text, *kernel, arguments, count);
    std::vector<void*> data(count), pointers(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const raw_argument& a = arguments[i];
        if (a.array != nullptr && *a.array) {
            (a.writes ? codegen::order_write : codegen::order_read)(*a.array->get());
            codegen::require_dense(*a.array->get(), text.title().c_str());
            data[i] = (*a.array)->data;
        }
        pointers[i] = a.array != nullptr ? &data[i] : const_cast<void*>(a.value);
    }
    if (g.x == 0 || g.y == 0 || g.z == 0) return;
    const codegen::launch_shape shape{{g.x, g.y, g.z}, {b.x, b.y, b.z}, static_cast<unsigned>(shared_bytes)};
    codegen::named_launch(
        where, [&] { return text.title(); }, [&] { where.launch(kernel, shape, pointers.data()); });
}

}  // namespace sinter::detail
