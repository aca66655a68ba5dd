// The map of loaded kernels, and what a miss leads to: text, disk, compiler, device.
#include <codegen/cache/kernels.hpp>

#include <codegen/cache/disk.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

namespace sinter::codegen {

namespace {

/// One class's place in the map. It stands before its kernel does, so that the map is not locked while compiling.
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
    static auto* const map = new kernel_map;  // never destroyed: kernels may run while static objects go
    return *map;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Loads an image from disk. An image that the device refuses counts as absent.
bool load_from_disk(ready_kernel& k, kernel_device& where, const std::string& disk_key, const std::string& entry) {
    const auto start = std::chrono::steady_clock::now();
    const std::optional<std::string> image = default_disk_cache().read(disk_key);
    if (!image) return false;
    try {
        k.loaded = where.load(*image, entry);
    } catch (const std::exception&) {
        return false;
    }
    k.compile_seconds = seconds_since(start);
    k.from_disk = true;
    return true;
}

ready_kernel make(kernel_device& where, const std::string& entry, const std::string& source,
                  const compile_options& options) {
    ready_kernel k;
    std::string tools = where.toolchain();
    for (const std::string& flag : options.flags) tools += ' ' + flag;
    const std::string disk_key = "Sinter " SINTER_VERSION "\n" + tools + "\n" + entry + "\n" + source;
    if (!load_from_disk(k, where, disk_key, entry)) {
        const auto start = std::chrono::steady_clock::now();
        const std::string image = where.compile(source, options);
        k.compile_seconds = seconds_since(start);
        k.loaded = where.load(image, entry);
        default_disk_cache().write(disk_key, image);
    }
    k.usage = k.loaded->usage;
    return k;
}

}  // namespace

const ready_kernel& get_kernel(kernel_device& where, const std::string& key, const std::string& entry,
                               const std::function<std::string()>& make_source, const compile_options& options) {
    slot& s = kernels().at(where, key);
    if (s.made.load(std::memory_order_acquire)) return s.kernel;
    const std::lock_guard lock(s.making);
    if (!s.made.load(std::memory_order_relaxed)) {
        s.kernel = make(where, entry, make_source(), options);
        s.made.store(true, std::memory_order_release);
    }
    return s.kernel;
}

}  // namespace sinter::codegen
