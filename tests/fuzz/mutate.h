// Mutations that fuzzers and their replays in the ordinary tests share.
#pragma once

#include <cstddef>
#include <functional>
#include <random>
#include <vector>

namespace rondo::fuzz {

using ByteVector = std::vector<std::byte>;

/// Changes some bytes in place; it may change their number.
using MutateBytes = std::function<void(ByteVector&)>;

/// A simple `MutateBytes`: flips, removes, repeats, and puts in texts that a reader has to think
/// about.
void mutate_bytes(ByteVector& bytes, std::mt19937_64& random);

/// A mutation of the text of a graph that often leaves it one: a word, number or value becomes
/// another one of the text or of a list, a line is repeated, removed or moved.
void mutate_graph(ByteVector& text, std::mt19937_64& random);

/// The error that a damaged input may give was thrown by `body`: false. Errors of any other kind
/// pass.
bool is_read(const std::function<void()>& body);

/// A safetensors file as one of another program, without the checksum that would refuse mutations.
ByteVector without_checksum(ByteVector file);

}  // namespace rondo::fuzz
