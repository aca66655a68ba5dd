// Runs targets with any compiler: the inputs of a corpus as they are, then changed at random for some seconds.
//
//     replay TARGET FOLDER [SECONDS [SEED]]
#include <tests/fuzzers/targets.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <csignal>

namespace {

using namespace sinter::test;

struct target {
    const char* name;
    void (*run)(bytes);
};
constexpr target targets[] = {{"npy", fuzz_npy}, {"npz", fuzz_npz}, {"spoken", fuzz_spoken}, {"custom", fuzz_custom}};

using content = std::vector<unsigned char>;

std::vector<content> corpus_of(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());  // the same seed gives the same inputs
    std::vector<content> all;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        all.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return all;
}

/// One to eight changes: bytes replaced, bits flipped, pieces removed, repeated, or taken from another input.
content changed(const std::vector<content>& corpus, std::mt19937_64& random) {
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random() % n); };
    content input = corpus[below(corpus.size())];
    for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
        const std::size_t at = below(input.size() + 1), n = below(std::min<std::size_t>(input.size() - at, 32) + 1);
        const auto from = input.begin() + static_cast<std::ptrdiff_t>(at), to = from + static_cast<std::ptrdiff_t>(n);
        const content piece(from, to);
        const content& other = corpus[below(corpus.size())];
        const std::size_t start = below(other.size());
        switch (random() % 6) {
            case 0:
                if (at < input.size()) input[at] = static_cast<unsigned char>(random());
                break;
            case 1:
                if (at < input.size()) input[at] = static_cast<unsigned char>(input[at] ^ 1u << random() % 8);
                break;
            case 2: input.erase(from, to); break;
            case 3: input.insert(from, piece.begin(), piece.end()); break;
            case 4: std::fill(from, to, random() % 2 ? 0xff : 0); break;
            default:
                input.insert(from, other.begin() + static_cast<std::ptrdiff_t>(start),
                             other.begin() + static_cast<std::ptrdiff_t>(start + below(other.size() - start + 1)));
        }
    }
    return input;
}

const content* present = nullptr;

/// What a crash leaves behind: its input.
void keep_input(int signal) {
    const int file = ::open("crash-input", O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0 && present) static_cast<void>(!::write(file, present->data(), present->size()));
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string name = argc > 2 ? argv[1] : "";
    const auto* const t =
        std::find_if(std::begin(targets), std::end(targets), [&](const target& a) { return a.name == name; });
    if (t == std::end(targets)) {
        std::fprintf(stderr, "usage: replay npy|npz|spoken|custom FOLDER [SECONDS [SEED]]\n");
        return 2;
    }
    const std::vector<content> corpus = corpus_of(argv[2]);
    for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV}) std::signal(signal, keep_input);
    for (const content& input : corpus) {
        present = &input;
        t->run(input);
    }
    const double seconds = argc > 3 ? std::atof(argv[3]) : 0;
    std::mt19937_64 random(argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
    const auto begin = std::chrono::steady_clock::now();
    const auto elapsed = [&] {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    long count = 0;
    while (!corpus.empty() && elapsed() < seconds) {
        const content input = changed(corpus, random);
        present = &input;
        t->run(input);
        ++count;
    }
    std::printf("%s: %zu inputs of the corpus, then %ld changed ones, %.0f a second\n", name.c_str(), corpus.size(),
                count, static_cast<double>(count) / std::max(elapsed(), 1e-9));
    return 0;
}
