// What a process has once: warnings, files that several threads write, the kernel cache, generated text.
#include <runtime/cache/disk.hpp>
#include <runtime/system/warning.hpp>
#include <sinter/warning.hpp>
#include <tests/threads/stress.hpp>

#include <optional>
#include <string_view>

namespace sinter::stress {
namespace {

std::atomic<std::int64_t> wrong_warnings{0};

void take(const char* line) { wrong_warnings += std::string_view(line) != "a warning of the test"; }
void take_too(const char* line) { take(line); }

void warnings(worker& w) {
    set_warning_handler(w.below(2) == 0 ? take : take_too);
    codegen::warn("a warning of the test");
    check(wrong_warnings == 0, "warnings");
}

/// A file that all threads write: a reader sees the whole of what one of them wrote.
void one_file(worker& w) {
    const std::string path = w.all.folder + "/all.npy";
    save_npy(path, full({10 + w.below(10)}, w.value()));
    const array<double, 1> back = load_npy<double, 1>(path);
    check(item(min(back)) == item(max(back)) && back.size() >= 10, "one file");
    const array<double, 1> mapped = map_npy<double, 1>(path);
    check(item(min(mapped)) == item(max(mapped)), "a mapped file");
}

void own_archive(worker& w) {
    const std::string path = w.all.folder + "/" + std::to_string(w.number) + ".npz";
    const double v = w.value();
    save_npz(path, {{"x", full({20}, v)}, {"table", w.all.table}},
             w.below(2) == 0 ? npz_compression::stored : npz_compression::deflated);
    check(all_are(load_npz<double, 1>(path, "x"), v, 20), "an archive");
}

void kernel_cache(worker& w) {
    static const codegen::disk_cache cache(w.all.folder + "/kernels", 1 << 16);
    const std::string key = "key " + std::to_string(w.below(20));
    cache.write(key, key + std::string(static_cast<std::size_t>(w.below(5000)), 'x'));
    if (const std::optional<std::string> image = cache.read(key)) check(image->starts_with(key), "the kernel cache");
    if (w.below(20) == 0) cache.prune();
}

/// Generated text is the same, whatever other threads generate.
void text(worker& w) {
    static const std::string expected = source(w.all.table * 2.5 + sum(w.all.table, axis=0));
    check(source(w.all.table * 2.5 + sum(w.all.table, axis=0)) == expected, "source");
    check(!explain(w.all.table * w.value()).text().empty(), "explain");
}

}  // namespace

std::vector<operation> resources() {
    return {{"warnings", 25, warnings},
            {"one file", 1, one_file},
            {"archives", 1, own_archive},
            {"kernel cache", 1, kernel_cache},
            {"source", 1, text}};
}

}  // namespace sinter::stress
