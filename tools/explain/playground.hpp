// The playground's answers: maps a request's path to a page. Independent of the network.
#pragma once

#include <string>

namespace sinter::spoken {

struct answer {
    int status = 200;
    std::string type = "text/html; charset=utf-8";
    std::string text;
};

/// The page for a request's target, "/?e=exp(x)&o=x:f32[100]&arch=sm_90": the form, followed by the explanation or the
/// error. The target holds the whole question, so a page's address can be shared. Every target gets an answer; throws
/// only if memory runs out.
answer answer_to(const std::string& target);

/// Decodes a percent-encoded part of a target; false if the encoding is invalid.
bool decoded(const std::string& part, std::string& into);

}  // namespace sinter::spoken
