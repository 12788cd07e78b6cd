// What the server refuses, ends and sheds, over a socket.
#include <signal.h>

#include <atomic>
#include <memory>

#include "tests/bindings/serve/served.h"
#include "tests/support/on_threads.h"

namespace rondo {
namespace {

using test::HttpAnswer;
using test::HttpClient;
using test::kInfer;
using test::kRow;
using test::kRowAnswer;
using test::ServerProcess;

/// Rows of the slow archive that take seconds.
constexpr std::int64_t kLong = 4096;

class ServerLimits : public test::Served {
 protected:
  /// How many ops have run.
  static double ops(const ServerProcess& server) {
    double sum = 0;
    for (const char* how : {"compiled", "interpreted", "product", "function"}) {
      sum += metric(server, std::string("rondo_ops_total{how=\"") + how + "\"}");
    }
    return sum;
  }

  /// Waits until the first run has begun.
  static bool begins(const ServerProcess& server) {
    return wait([&] { return ops(server) > 0; });
  }

  /// That the one run so far was ended between its kernels: the session is free again before all of
  /// them have run.
  static void expect_ended(const ServerProcess& server) {
    EXPECT_EQ(HttpClient(server.port()).send(slow_request(1)).status, 200);
    EXPECT_GE(ops(server), test::kSlowSteps);
    EXPECT_LT(ops(server), 2 * test::kSlowSteps);
  }
};

TEST_F(ServerLimits, ItListensOnTheLoopbackAddressAloneAndPrintsThePort) {
  const ServerProcess server(small());  // with port 0
  EXPECT_GT(server.port(), 0);
  EXPECT_EQ(HttpClient(server.port()).get("/v2/health/live").status, 200);
  EXPECT_THROW(HttpClient(server.port(), "127.0.0.2"), std::runtime_error);
}

TEST_F(ServerLimits, AFullQueueIs503WithRetryAfter) {
  const ServerProcess server(slow(), {"--queue", "1", "--max-batch", "1"});
  std::atomic<int> done{0};
  std::atomic<int> full{0};
  on_threads(8, [&](int) {
    const HttpAnswer answer = HttpClient(server.port()).send(slow_request(512));
    if (answer.status == 200) {
      ++done;
    } else if (answer.status == 503) {
      ++full;
      EXPECT_EQ(answer.header("Retry-After"), "1");
      EXPECT_EQ(answer.body,
                R"({"error":"infer: the queue is full: 1 requests wait; try again later"})");
    }
  });
  EXPECT_EQ(done + full, 8);
  EXPECT_GE(done, 1);
  EXPECT_GE(full, 1);
}

TEST_F(ServerLimits, APassedDeadlineIs504AndEndsTheRunBetweenKernels) {
  const ServerProcess server(slow(), {"--deadline-ms", "300"});
  const HttpAnswer answer = HttpClient(server.port()).send(slow_request(kLong));
  EXPECT_EQ(answer.status, 504);
  EXPECT_EQ(answer.body, R"({"error":"infer: the deadline has passed"})");
  EXPECT_TRUE(reaches(server, "rondo_runs_ended_total", 1));
  expect_ended(server);
}

TEST_F(ServerLimits, ADisconnectEndsTheRunBetweenKernels) {
  const ServerProcess server(slow());
  {
    HttpClient client(server.port());
    client.send_only(slow_request(kLong));
    EXPECT_TRUE(begins(server));
  }
  EXPECT_TRUE(reaches(server, "rondo_runs_ended_total", 1));
  EXPECT_TRUE(reaches(server, "rondo_requests_total{status=\"499\"}", 1));
  expect_ended(server);
}

TEST_F(ServerLimits, ADisconnectOfOneDoesNotEndARunThatServesOthersToo) {
  const ServerProcess server(slow(), {"--max-batch", "512", "--max-delay-ms", "20000"});
  const std::string request = slow_request(256);
  HttpClient stays(server.port());
  {
    // The other one waits for it, as it is on its way.
    HttpClient leaves(server.port());
    leaves.send_only(request.substr(0, request.size() - 1));
    EXPECT_TRUE(becomes(server, "rondo_active_requests", 2));  // with the one that asks
    stays.send_only(request);
    EXPECT_TRUE(becomes(server, "rondo_active_requests", 3));
    leaves.send_only(request.substr(request.size() - 1));
    EXPECT_TRUE(begins(server));
  }
  EXPECT_EQ(stays.receive().status, 200);
  EXPECT_EQ(metric(server, "rondo_batch_rows_count"), 1);
  EXPECT_EQ(metric(server, "rondo_batch_rows_sum"), 512);
  EXPECT_TRUE(reaches(server, "rondo_requests_total{status=\"499\"}", 1));
}

TEST_F(ServerLimits, HeadersThatDoNotArriveInTimeAre408) {
  const ServerProcess server(small(), {"--header-timeout", "0.2"});
  for (const char* part : {"GE", "GET /v2 HTTP/1.1\r\nHost: a\r\n", "GET /v2 HTTP/1.1\r\nHos"}) {
    HttpClient client(server.port());
    const HttpAnswer answer = client.send(part);
    EXPECT_EQ(answer.status, 408) << part;
    EXPECT_EQ(answer.body,
              R"({"error":"request: it did not arrive in time: headers within 200 ms, bodies )"
              R"(within 60000 ms"})");
    EXPECT_EQ(client.receive().status, 0);  // closed
  }
  EXPECT_TRUE(reaches(server, "rondo_requests_total{status=\"408\"}", 3));
}

TEST_F(ServerLimits, ABodyThatDoesNotArriveInTimeIs408) {
  const ServerProcess server(small(), {"--body-timeout", "0.2"});
  HttpClient client(server.port());
  const HttpAnswer answer = client.send("POST " + std::string(kInfer) +
                                        " HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{\"in");
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(client.receive().status, 0);
  EXPECT_TRUE(becomes(server, "rondo_active_requests", 1));  // the one that asks
}

TEST_F(ServerLimits, ABodyThatArrivesByDropsHasOneTimeForAllOfIt) {
  const ServerProcess server(small(), {"--body-timeout", "0.5"});
  HttpClient client(server.port());
  client.send_only("POST " + std::string(kInfer) +
                   " HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
  for (int i = 0; i < 10; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    client.send_only(" ");
  }
  EXPECT_EQ(client.receive().status, 408);
}

TEST_F(ServerLimits, HeadersThatAreTooLargeAre431) {
  const ServerProcess server(small());
  const std::string large(100'000, 'a');
  EXPECT_EQ(HttpClient(server.port()).send("GET /v2 HTTP/1.1\r\nX: " + large + "\r\n\r\n").status,
            431);
  EXPECT_EQ(HttpClient(server.port()).send("GET /" + large).status, 431);
  std::string many = "GET /v2 HTTP/1.1\r\n";
  for (int i = 0; i < 20'000; ++i) {
    many += "A" + std::to_string(i) + ": b\r\n";
  }
  EXPECT_EQ(HttpClient(server.port()).send(many + "\r\n").status, 431);
  EXPECT_EQ(HttpClient(server.port()).post(kInfer, kRow).body, kRowAnswer);
}

TEST_F(ServerLimits, ConnectionsAboveTheCapAre503WithRetryAfter) {
  const ServerProcess server(small(), {"--connections", "2"});
  HttpClient second(server.port());
  {
    HttpClient first(server.port());
    EXPECT_EQ(first.get("/v2").status, 200);
    EXPECT_EQ(second.get("/v2").status, 200);
    HttpClient third(server.port());
    const HttpAnswer answer = third.receive();  // without having asked
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("Retry-After"), "1");
    EXPECT_EQ(answer.body, R"({"error":"serve: 2 connections are open, as many as there may be; )"
                           R"(try again later"})");
  }
  // Once the first one's thread is free.
  EXPECT_TRUE(wait([&] { return HttpClient(server.port()).get("/v2").status == 200; }));
  EXPECT_EQ(second.get("/v2").status, 200);
}

TEST_F(ServerLimits, ManyConnectionsMayWaitToBeAccepted) {
  const ServerProcess server(small());
  server.signal(SIGSTOP);  // nothing is accepted meanwhile
  std::vector<std::unique_ptr<HttpClient>> clients;
  for (int i = 0; i < 200; ++i) {
    clients.push_back(std::make_unique<HttpClient>(server.port()));
  }
  server.signal(SIGCONT);
  for (const auto& client : clients) {
    EXPECT_EQ(client->get("/v2/health/live").status, 200);
  }
}

TEST_F(ServerLimits, BodiesAboveTheMemoryForThemAre503WithRetryAfter) {
  const ServerProcess server(small(), {"--memory-mb", "2"});
  // One that is under way takes most of it.
  HttpClient first(server.port());
  first.send_only("POST " + std::string(kInfer) +
                  " HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n{");
  EXPECT_TRUE(becomes(server, "rondo_body_bytes", 820'000));
  const HttpAnswer answer = HttpClient(server.port()).post(kInfer, std::string(10'000, ' '));
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_EQ(answer.body,
            R"({"error":"request: the bodies of other requests take the memory that there is for )"
            R"(them, 1048576 bytes; try again later"})");
  EXPECT_EQ(HttpClient(server.port()).post(kInfer, kRow).body, kRowAnswer);
  EXPECT_EQ(first.send(std::string(19'999, ' ')).status, 400);
  EXPECT_TRUE(becomes(server, "rondo_body_bytes", 0));
  const HttpAnswer large = HttpClient(server.port()).post(kInfer, std::string(100'000, ' '));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(
      large.body,
      R"({"error":"request: the body may take 4100000 bytes of memory; there are 1048576 for )"
      R"(all bodies, by --memory-mb"})");
}

TEST_F(ServerLimits, ARunThatNeedsMoreMemoryThanThereIsIs503) {
  const ServerProcess server(slow(), {"--memory-mb", "8"});
  const HttpAnswer answer =
      HttpClient(server.port()).send(slow_request(3000 * 256 / test::kSlowWidth));
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("out of memory"), std::string::npos) << answer.body;
  EXPECT_EQ(HttpClient(server.port()).send(slow_request(1)).status, 200);
}

TEST_F(ServerLimits, ARunAboveTheLimitOfWorkIs400ThatNamesTheOp) {
  const std::int64_t of_a_row = test::kSlowSteps * test::kSlowWidth * test::kSlowWidth;
  const ServerProcess server(slow(), {"--max-work", std::to_string(4 * of_a_row)});
  EXPECT_EQ(HttpClient(server.port()).send(slow_request(1)).status, 200);
  const HttpAnswer answer = HttpClient(server.port()).send(slow_request(16));
  EXPECT_EQ(answer.status, 400);
  EXPECT_NE(answer.body.find(R"({"error":"matmul: the run has done )"), std::string::npos)
      << answer.body;
}

TEST_F(ServerLimits, AtManyTimesItsCapacityEveryRequestIsAnswered) {
  const ServerProcess server(slow(), {"--queue", "4", "--max-batch", "1"});
  std::atomic<int> done{0};
  std::atomic<int> full{0};
  on_threads(16, [&](int) {
    HttpClient client(server.port());
    for (int request = 0; request < 10; ++request) {
      const int status = client.send(slow_request(8)).status;
      done += status == 200 ? 1 : 0;
      full += status == 503 ? 1 : 0;
    }
  });
  EXPECT_EQ(done + full, 160);
  EXPECT_GE(done, 10);
  EXPECT_EQ(metric(server, "rondo_batch_rows_count"), done);
}

TEST_F(ServerLimits, MaxBatchAndMaxDelayDecideWhatIsJoined) {
  const ServerProcess pairs(small(), {"--max-batch", "2", "--max-delay-ms", "1000"});
  const ServerProcess alone(small(), {"--max-batch", "1"});
  for (const ServerProcess* server : {&pairs, &alone}) {
    on_threads(4, [&](int) {
      HttpClient client(server->port());
      for (int request = 0; request < 25; ++request) {
        EXPECT_EQ(client.post(kInfer, kRow).body, kRowAnswer);
      }
    });
  }
  EXPECT_EQ(metric(pairs, "rondo_batch_rows_sum"), 100);
  EXPECT_EQ(metric(pairs, "rondo_batch_rows_bucket{le=\"2\"}"),
            metric(pairs, "rondo_batch_rows_count"));
  EXPECT_LT(metric(pairs, "rondo_batch_rows_count"), 100);
  EXPECT_EQ(metric(alone, "rondo_batch_rows_bucket{le=\"1\"}"), 100);
}

TEST_F(ServerLimits, EmptyBatchesAreAnswered) {
  const ServerProcess server(small());
  const HttpAnswer answer = HttpClient(server.port())
                                .post(kInfer, R"({"inputs":[{"name":"x","shape":[0,3],)"
                                              R"("datatype":"FP32","data":[]}]})");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body,
            R"({"model_name":"small","model_version":"1","outputs":[{"name":"y","datatype":"FP32",)"
            R"("shape":[0,2],"data":[]}]})");
}

}  // namespace
}  // namespace rondo
