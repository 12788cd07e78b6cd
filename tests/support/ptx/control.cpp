// Loads, stores, branches, calls, barriers and shuffles.
#include "tests/support/ptx/instructions.h"

namespace rondo::ptx {
namespace {

/// Loads extend to the register by their type.
template <class T>
struct Load {
  static void run(Thread& t, const Code& c) {
    const std::byte* memory = t.address(c, sizeof(T) * static_cast<std::size_t>(c.width), false);
    for (int i = 0; i < c.width; ++i) {
      T value;
      std::memcpy(&value, memory + sizeof(T) * static_cast<std::size_t>(i), sizeof(T));
      const int slot = c.to[static_cast<std::size_t>(i)];
      if constexpr (std::is_signed_v<T>) {
        t.set<std::int64_t>(slot, value);
      } else {
        t.set<std::uint64_t>(slot, value);
      }
    }
  }
};

template <class T>
struct Store {
  static void run(Thread& t, const Code& c) {
    std::byte* memory = t.address(c, sizeof(T) * static_cast<std::size_t>(c.width), true);
    for (int i = 0; i < c.width; ++i) {
      const T value = t.get<T>(c.from[static_cast<std::size_t>(i)]);
      std::memcpy(memory + sizeof(T) * static_cast<std::size_t>(i), &value, sizeof(T));
    }
  }
};

template <template <class> class Op>
Handler by_bytes(Type type) {
  switch (type) {
    case Type::s8:
      return &Op<std::int8_t>::run;
    case Type::s16:
      return &Op<std::int16_t>::run;
    case Type::s32:
      return &Op<std::int32_t>::run;
    case Type::pred:
    case Type::f16:
      return nullptr;
    default:
      switch (type_bytes(type)) {
        case 1:
          return &Op<std::uint8_t>::run;
        case 2:
          return &Op<std::uint16_t>::run;
        case 4:
          return &Op<std::uint32_t>::run;
        default:
          return &Op<std::uint64_t>::run;
      }
  }
}

void branch(Thread& t, const Code& c) {
  t.jump(c.target);
}
void call(Thread& t, const Code& c) {
  t.call(c);
}
void leave(Thread& t, const Code&) {
  t.leave();
}
void finish(Thread& t, const Code&) {
  t.finish();
}
void trap(Thread& t, const Code& c) {
  throw PtxError(t.where(c) + ": the kernel gave up");
}
void wait_for_block(Thread& t, const Code& c) {
  t.wait(State::barrier, c);
}
void wait_for_warp(Thread& t, const Code& c) {
  t.wait(State::warp, c);
}
void shuffle(Thread& t, const Code& c) {
  t.wait(State::warp, c);
}

void add_window(Thread& t, const Code& c) {
  const std::uint64_t window = c.space == Space::shared  ? kSharedWindow
                               : c.space == Space::local ? kLocalWindow
                                                         : 0;
  t.set<std::uint64_t>(c.to[0], t.get<std::uint64_t>(c.from[0]) + window);
}
void drop_window(Thread& t, const Code& c) {
  const std::uint64_t window = c.space == Space::shared  ? kSharedWindow
                               : c.space == Space::local ? kLocalWindow
                                                         : 0;
  t.set<std::uint64_t>(c.to[0], t.get<std::uint64_t>(c.from[0]) - window);
}

}  // namespace

bool is_shuffle(const Code& code) {
  return code.run == &shuffle;
}

Handler find_control(const std::string& name, Code& code) {
  if (name == "ld") {
    return by_bytes<Load>(code.type);
  }
  if (name == "st") {
    return by_bytes<Store>(code.type);
  }
  constexpr std::pair<const char*, Handler> kHandlers[] = {{"bra", &branch},
                                                           {"call", &call},
                                                           {"ret", &leave},
                                                           {"exit", &finish},
                                                           {"trap", &trap},
                                                           {"bar.sync", &wait_for_block},
                                                           {"barrier.sync", &wait_for_block},
                                                           {"bar.warp.sync", &wait_for_warp},
                                                           {"shfl.sync.down", &shuffle},
                                                           {"shfl.sync.idx", &shuffle},
                                                           {"cvta", &add_window},
                                                           {"cvta.to", &drop_window}};
  for (const auto& [text, handler] : kHandlers) {
    if (name == text) {
      code.downwards = name == "shfl.sync.down";
      return handler;
    }
  }
  return nullptr;
}

}  // namespace rondo::ptx
