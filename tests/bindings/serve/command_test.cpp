// The program `rondo` from outside: its commands, and the server over a socket.
#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cstring>
#include <thread>

#include "bindings/serve/npy.h"
#include "tests/bindings/serve/served.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::HttpAnswer;
using test::HttpClient;
using test::kInfer;
using test::kRow;
using test::kRowAnswer;
using test::ServerProcess;

class Command : public test::Served {
 protected:
  std::string archive_ = small();
};

TEST_F(Command, DoctorTellsWhatTheMachineOffers) {
  std::string output;
  test::run_command({"doctor"}, output);
  for (const char* row : {"rondo            ", "CPU              v", "CPU compiler     "}) {
    EXPECT_NE(output.find(row), std::string::npos) << output;
  }
  const bool plugin = output.find("nvrtc            ") != std::string::npos;
  EXPECT_NE(plugin, output.find("GPU plug-in      plug-in: ") != std::string::npos) << output;
}

TEST_F(Command, InspectTellsTheSignatureAndRowIndependence) {
  std::string output;
  EXPECT_EQ(test::run_command({"inspect", archive_}, output), 0);
  for (const char* line :
       {"  input x: [batch, 3] of float32\n", "  output y: [batch, 2] of float32\n",
        "    rows are independent: requests that arrive together run as one batch\n",
        "  parameter w: [3, 2] of float32, 24 bytes\n", "golden cases: 1\n"}) {
    EXPECT_NE(output.find(line), std::string::npos) << line << output;
  }
}

TEST_F(Command, InspectTellsWhyRequestsAreNotBatched) {
  std::string output;
  EXPECT_EQ(test::run_command({"inspect", write("mixing.rondo", test::mixing_archive())}, output),
            0);
  EXPECT_NE(
      output.find(
          "    rows are not known to be independent, so requests run alone: sum may mix rows\n"),
      std::string::npos)
      << output;
}

TEST_F(Command, VerifyRunsTheGoldenCases) {
  std::string output;
  EXPECT_EQ(test::run_command({"verify", archive_}, output), 0);
  EXPECT_EQ(output.substr(output.rfind('\n', output.size() - 2) + 1),
            "golden cases that give the stored bits: 1\n");
}

TEST_F(Command, RunReadsAndWritesNpyFiles) {
  serve::write_npy(path("x.npy"), test::floats({1, 3}, {0.5F, 0.25F, 0}));
  std::string output;
  ASSERT_EQ(test::run_command({"run", archive_, "--input", "x=" + path("x.npy"), "--output",
                               "y=" + path("y.npy")},
                              output),
            0)
      << output;
  EXPECT_EQ(test::values(serve::read_npy(path("y.npy"))), (std::vector<double>{1.75, 1.5}));
}

TEST_F(Command, WrongUseSaysWhatIsWrong) {
  std::string output;
  EXPECT_EQ(test::run_command({"serve", archive_, "--port", "x"}, output), 1);
  EXPECT_EQ(output,
            "rondo: ArgumentError: rondo serve: --port is 'x'; expected a number from 0 to "
            "65535\n");
  output.clear();
  EXPECT_EQ(test::run_command({"inspect", archive_, "--prot"}, output), 1);
  EXPECT_EQ(output,
            "rondo: ArgumentError: rondo inspect: there is no option --prot; see rondo help\n");
}

TEST_F(Command, ServesJsonAndBinary) {
  ServerProcess server(archive_, {"--warm", "1,2"});
  server.wait_until_ready();
  HttpClient client(server.port());
  EXPECT_EQ(client.get("/v2/health/live").status, 200);
  EXPECT_EQ(client.get("/v2").body,
            R"({"name":"rondo","version":"0.1.0","extensions":["binary_tensor_data"]})");
  EXPECT_EQ(client.get("/v2/models/small/ready").body, R"({"name":"small","ready":true})");
  EXPECT_EQ(client.get("/v2/models/small/versions/1").status, 200);
  EXPECT_EQ(client.post(kInfer, kRow).body, kRowAnswer);

  const std::string json =
      R"({"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[1,3],)"
      R"("datatype":"FP32","parameters":{"binary_data_size":12}}]})";
  const float row[] = {0.5F, 0.25F, 0};
  std::string body = json;
  body.append(reinterpret_cast<const char*>(row), sizeof(row));
  const HttpAnswer answer = client.post(
      kInfer, body, "Inference-Header-Content-Length: " + std::to_string(json.size()) + "\r\n");
  EXPECT_EQ(answer.header("Content-Type"), "application/octet-stream");
  const std::size_t length = std::stoul(answer.header("Inference-Header-Content-Length"));
  float results[2];
  ASSERT_EQ(answer.body.size(), length + sizeof(results));
  std::memcpy(results, answer.body.data() + length, sizeof(results));
  EXPECT_EQ(results[0], 1.75F);
  EXPECT_EQ(results[1], 1.5F);
  EXPECT_NE(client.get("/metrics").body.find("rondo_requests_total{status=\"200\"}"),
            std::string::npos);
}

TEST_F(Command, DoesNotShareThePortOfAnotherServer) {
  ServerProcess server(archive_);
  const std::string port = std::to_string(server.port());
  std::string output;
  EXPECT_EQ(test::run_command({"serve", archive_, "--port", port}, output), 1);
  EXPECT_EQ(output, "rondo: IoError: serve: cannot listen on 127.0.0.1:" + port +
                        "; another program may use the port\n");
}

TEST_F(Command, ErrorsAreJsonWithTheirStatus) {
  ServerProcess server(archive_, {"--max-body-mb", "1"});
  server.wait_until_ready();
  HttpClient client(server.port());
  HttpAnswer answer = client.post(kInfer, "{");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.header("Content-Type"), "application/json");
  answer = client.post(kInfer,
                       R"({"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]})");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body,
            R"({"error":"forward: input 'x' is invalid: expected [batch, 3] of float32, got )"
            R"([1, 2] of float32"})");
  answer = client.post("/v2/models/large/infer", kRow);
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, R"({"error":"there is no model 'large'; this server has 'small'"})");
  answer = client.get("/v3");
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.body, R"({"error":"there is no GET /v3"})");
  answer = client.post(kInfer, std::string((1U << 20) + 1, ' '));
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body,
            R"({"error":"request: the body is larger than the limit of 1048576 bytes"})");
  answer = HttpClient(server.port())
               .post(kInfer, std::string(100'000, ' '),
                     "Content-Type: application/x-www-form-urlencoded\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(
      answer.body,
      R"({"error":"request: a large body has Content-Type application/x-www-form-urlencoded; )"
      R"(send application/json, or application/octet-stream for binary data"})");
  HttpClient other(server.port());
  answer = other.send("POST " + std::string(kInfer) +
                      " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
  EXPECT_EQ(answer.status, 411);
  EXPECT_EQ(HttpClient(server.port()).send("nonsense\r\n\r\n").status, 400);
  HttpClient last(server.port());
  EXPECT_EQ(last.post(kInfer, kRow).body, kRowAnswer);
  EXPECT_NE(last.get("/metrics").body.find("\nrondo_active_requests 1\n"), std::string::npos);
}

TEST_F(Command, FinishesRequestsAfterSigterm) {
  ServerProcess server(archive_, {"--grace", "5"});
  server.wait_until_ready();
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      HttpClient client(server.port());
      while (true) {
        const HttpAnswer answer = client.post(kInfer, kRow);
        if (answer.status == 0) {
          return;  // the connection was closed between two requests
        }
        EXPECT_EQ(answer.status, 200) << answer.body;
        EXPECT_EQ(answer.body, kRowAnswer);
        ++answered;
      }
    });
  }
  while (answered < 50) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(), 0);
  for (std::thread& thread : threads) {
    thread.join();
  }
}

}  // namespace
}  // namespace rondo
