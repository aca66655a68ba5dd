// A kernel's name and the text that defines it.
#pragma once

namespace sinter::codegen {

struct named_text {
    const char *name, *text;
};

}  // namespace sinter::codegen
