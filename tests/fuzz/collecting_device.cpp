// Collecting texts, and making kernels of them.
#include <tests/fuzz/collecting_device.hpp>

#include <sinter/error.hpp>
#include <tests/emulate/host_compiler.hpp>

namespace sinter::fuzz {

codegen::loaded_kernel* collecting_device::load(const std::string& image, const std::string& entry) {
    auto kernel = std::make_unique<collected>();
    kernel->text = image;
    kernel->entry = entry;
    const std::lock_guard lock(adding_);
    return kernels_.emplace_back(std::move(kernel)).get();
}

void collecting_device::launch(codegen::loaded_kernel* kernel, const codegen::launch_shape& shape, void** arguments) {
    const auto& k = static_cast<const collected&>(*kernel);
    if (!k.refusal.empty()) throw error(k.refusal);
    if (k.ready != nullptr) emulated_device::launch(k.ready, shape, arguments);
}

void collecting_device::compile_collected() {
    std::vector<std::string> texts, entries;
    std::vector<collected*> compiled;
    for (; compiled_ < kernels_.size(); ++compiled_) {
        collected& k = *kernels_[compiled_];
        k.ready = load_program(k.text, k.entry);
        if (k.ready != nullptr) continue;
        entries.push_back(emulate::entry_among(k.entry, texts.size()));
        texts.push_back(k.text);
        compiled.push_back(&k);
    }
    if (texts.empty()) return;
    try {
        const auto loaded = load_all(emulate::compile_for_host(texts), entries);
        for (std::size_t i = 0; i < loaded.size(); ++i) {
            compiled[i]->ready = loaded[i];
            add_program(*loaded[i], texts[i]);
        }
    } catch (const error&) {
        // One of them is at fault: each alone, then.
        for (collected* k : compiled) {
            try {
                k->ready = emulated_device::load(emulated_device::compile(k->text, {}), k->entry);
            } catch (const error& e) {
                k->refusal = e.what();
            }
        }
    }
}

}  // namespace sinter::fuzz
