// What untrusted bytes reach: a function each, which must neither crash nor leave the sanitizers' rules, whatever the
// bytes. libFuzzer drives them (libfuzzer.cpp), or replay.cpp where there is none.
#pragma once

#include <span>

namespace sinter::test {

using bytes = std::span<const unsigned char>;

void fuzz_npy(bytes input);
void fuzz_npz(bytes input);
void fuzz_spoken(bytes input);
void fuzz_custom(bytes input);

}  // namespace sinter::test
