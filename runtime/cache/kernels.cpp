// The map of loaded kernels. A miss prints the source, then tries the program's file, the disk, and the compiler.
#include <runtime/cache/kernels.hpp>

#include <runtime/cache/disk.hpp>
#include <runtime/cache/embedded.hpp>
#include <runtime/system/parallel_for.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace sinter::codegen {

namespace {

/// The map entry of a class. It exists before its kernel, so that the map is not locked while compiling.
struct slot {
    std::mutex making;
    std::atomic<bool> made{false};
    ready_kernel kernel;
};

struct kernel_map {
    std::shared_mutex mutex;
    std::unordered_map<std::uint64_t, std::unordered_map<std::string, std::unique_ptr<slot>>> devices;  ///< by id

    slot& at(const kernel_device& where, const std::string& key) {
        {
            const std::shared_lock lock(mutex);
            if (const auto device = devices.find(where.id); device != devices.end())
                if (const auto it = device->second.find(key); it != device->second.end()) return *it->second;
        }
        const std::unique_lock lock(mutex);
        std::unique_ptr<slot>& s = devices[where.id][key];
        if (!s) s = std::make_unique<slot>();
        return *s;
    }
};

kernel_map& kernels() {
    static auto* const map = new kernel_map;  // never destroyed: kernels may run while static objects are destroyed
    return *map;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Loads the image that find() returns. One that the device rejects counts as absent.
template <class Find>
bool load_found(ready_kernel& k, kernel_device& where, const std::string& entry, Find find) {
    const auto start = std::chrono::steady_clock::now();
    const std::optional<std::string> image = find();
    if (!image) return false;
    try {
        k.loaded = where.load(*image, entry);
    } catch (const std::exception&) {
        return false;
    }
    k.compile_seconds = seconds_since(start);
    return true;
}

void load_or_compile(ready_kernel& k, kernel_device& where, const printed_kernel& r, const compile_options& options) {
    const std::string text = cache_text(r.entry, r.text, options);
    k.embedded = load_found(k, where, r.entry, [&] { return embedded_images().find(text, where.properties().arch); });
    if (k.embedded) return;
    const std::string disk_key = where.toolchain() + "\n" + text;
    k.from_disk = load_found(k, where, r.entry, [&] { return default_disk_cache().read(disk_key); });
    if (k.from_disk) return;
    const auto start = std::chrono::steady_clock::now();
    const std::string image = where.compile(r.text, options);
    k.compile_seconds = seconds_since(start);
    k.loaded = where.load(image, r.entry);
    default_disk_cache().write(disk_key, image);
}

ready_kernel make_ready(kernel_device& where, printed_kernel r, const compile_options& options) {
    ready_kernel k;
    if (r.program != nullptr) where.announce(r.text, r.program);
    load_or_compile(k, where, r, options);
    k.name = std::move(r.entry);
    k.usage = k.loaded->usage;
    k.parameters = std::move(r.parameters);
    k.shared_bytes = r.shared_bytes;
    return k;
}

}  // namespace

const ready_kernel& get_kernel(kernel_device& where, const kernel_request& wanted) {
    slot& s = kernels().at(where, wanted.key);
    if (s.made.load(std::memory_order_acquire)) return s.kernel;
    const std::lock_guard lock(s.making);
    if (!s.made.load(std::memory_order_relaxed)) {
        s.kernel = make_ready(where, wanted.make(), wanted.options);
        s.made.store(true, std::memory_order_release);
    }
    return s.kernel;
}

void make_kernels_ready(kernel_device& where, const std::vector<kernel_request>& wanted) {
    std::vector<const kernel_request*> missing;
    for (const kernel_request& r : wanted)
        if (!kernels().at(where, r.key).made.load(std::memory_order_acquire)) missing.push_back(&r);
    parallel_for(missing.size(), [&](std::size_t i) { get_kernel(where, *missing[i]); });
}

}  // namespace sinter::codegen
