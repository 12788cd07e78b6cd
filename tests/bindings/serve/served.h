// What the tests of the server share: archives in files, and requests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/bindings/serve/http_client.h"
#include "tests/support/small_archive.h"
#include "tests/support/temporary_folder.h"

namespace rondo::test {

inline const char* const kInfer = "/v2/models/small/infer";
inline const char* const kRow =
    R"({"inputs":[{"name":"x","shape":[1,3],"datatype":"FP32","data":[0.5,0.25,0]}]})";
inline const char* const kRowAnswer =
    R"({"model_name":"small","model_version":"1","outputs":[{"name":"y","datatype":"FP32",)"
    R"("shape":[1,2],"data":[1.75,1.5]}]})";

/// A folder with the archives small.rondo and slow.rondo.
class Served : public testing::Test {
 protected:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }

  std::string write(const char* name, const std::vector<std::byte>& bytes) const {
    return folder_.write(name, bytes);
  }

  std::string small() const { return write("small.rondo", small_archive()); }
  std::string slow() const { return write("slow.rondo", slow_archive()); }

  /// A request to the slow archive, as sent.
  static std::string slow_request(std::int64_t rows, const std::string& headers = "") {
    const auto bytes = static_cast<std::size_t>(rows * kSlowWidth) * sizeof(float);
    const std::string json = R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"x",)"
                             R"("shape":[)" +
                             std::to_string(rows) + "," + std::to_string(kSlowWidth) +
                             R"(],"datatype":"FP32","parameters":{"binary_data_size":)" +
                             std::to_string(bytes) + "}}]}";
    std::string body = json;
    const std::vector<float> ones(static_cast<std::size_t>(rows * kSlowWidth), 1.0F);
    body.append(reinterpret_cast<const char*>(ones.data()), bytes);
    return "POST /v2/models/slow/infer HTTP/1.1\r\nHost: a\r\nContent-Length: " +
           std::to_string(body.size()) +
           "\r\nInference-Header-Content-Length: " + std::to_string(json.size()) + "\r\n" +
           headers + "\r\n" + body;
  }

  /// The value of a line of /metrics, with its labels; -1 if it is not there.
  static double metric(const ServerProcess& server, const std::string& name) {
    const std::string text = "\n" + HttpClient(server.port()).get("/metrics").body;
    const std::size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
  }

  /// Waits until a line of /metrics has reached a value; false after 20 seconds. Requests are
  /// counted after they have been answered.
  static bool reaches(const ServerProcess& server, const std::string& name, double value) {
    return wait([&] { return metric(server, name) >= value; });
  }
  /// The same for one that falls too.
  static bool becomes(const ServerProcess& server, const std::string& name, double value) {
    return wait([&] { return metric(server, name) == value; });
  }

  /// Waits until a condition holds; false after 20 seconds.
  template <class Condition>
  static bool wait(const Condition& holds) {
    for (int i = 0; i < 2000; ++i) {
      if (holds()) {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace rondo::test
